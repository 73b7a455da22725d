// SPDX-License-Identifier: GPL-2.0-or-later
//
// An integer expression as a sum of offsets of fields: what is left of
// `offsetof(struct t, b) - offsetof(struct t, a) + 4` when the order of the
// fields is taken as unknown.

#pragma once

#include "hybrid/facts/Facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace kst {

/// The offset of a field in its record, times Factor. Never a field of a
/// union: that is 0 in any order.
struct OffsetTerm {
  const clang::FieldDecl *Field = nullptr;
  int64_t Factor = 0;
};

struct OffsetSum {
  /// Each field once, none with factor 0.
  llvm::SmallVector<OffsetTerm, 2> Terms;
  /// Records whose sizeof was a part.
  llvm::SmallVector<const clang::RecordDecl *, 1> Sizes;
  int64_t Constant = 0;
  /// False: not a sum; Terms and Sizes say what it was made of.
  bool Linear = true;
  /// A number that is no constant was a part.
  bool Varies = false;

  bool empty() const { return Terms.empty() && Sizes.empty(); }
  /// Adds Sign (1 or -1) times the other sum.
  void add(const OffsetSum &Other, int64_t Sign);
  /// Says that the value is some function of this and Other; Sign (1 or -1) is
  /// the direction in which Other counts, as far as that makes sense.
  void blur(const OffsetSum &Other, int64_t Sign = 1);
};

/// Numbers from Low to High.
struct OffsetRange {
  int64_t Low = 0, High = 0;
};

/// Reads expressions of one ASTContext. Pure.
class OffsetReader {
public:
  explicit OffsetReader(const clang::ASTContext &Context) : Context(Context) {}

  /// Of a constant expression. Casts between integers do not change its value
  /// as far as this knows; numbers that cannot be computed blur the sum.
  OffsetSum read(const clang::Expr *E) const;

  /// Of offsetof itself, or of `(size_t)&((struct t *)0)->m` at the cast.
  OffsetSum ofOffsetOf(const clang::OffsetOfExpr *E) const;
  OffsetSum ofNullMember(const clang::Expr *Address) const;
  /// Of the address of a member or of an element of a member, seen from the
  /// object that the outermost `->` points to; not linear if an index or the
  /// object is unknown. Base: that object's expression, or null when the
  /// expression is no such address.
  OffsetSum ofMember(const clang::Expr *Address,
                     const clang::Expr *&Base) const;

  /// The value of a constant integer expression; false for any other.
  bool evaluate(const clang::Expr *E, int64_t &Value) const;

  int64_t size(clang::QualType Type) const;
  int64_t size(const clang::FieldDecl *Field) const;
  int64_t size(const clang::RecordDecl *Record) const;
  int64_t offset(const clang::FieldDecl *Field) const;
  int64_t align(const clang::FieldDecl *Field) const;
  /// The number of the field that covers a byte of a record that is no union:
  /// the last that starts at or before it; None past the end.
  uint32_t fieldAt(const clang::RecordDecl *Record, int64_t Byte) const;
  bool isLast(const clang::FieldDecl *Field) const;
  /// The offsets that a field may have in a record of this size.
  OffsetRange anywhere(const clang::FieldDecl *Field) const;

private:
  OffsetSum binary(const clang::BinaryOperator *Binary) const;
  OffsetSum sizeOf(const clang::UnaryExprOrTypeTraitExpr *E) const;
  OffsetSum remainder(OffsetSum Sum, int64_t N) const;
  void addField(OffsetSum &Sum, const clang::FieldDecl *Field) const;

  const clang::ASTContext &Context;
};

} // namespace kst
