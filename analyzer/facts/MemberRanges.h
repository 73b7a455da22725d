// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small judgements about one expression: does it handle bytes of several
// members as one block, does it set fields by position.

#pragma once

#include "analyzer/facts/DemandTable.h"
#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kst {

/// When argument Number, made of Value, counts bytes: adds the member at which
/// they end. A number that varies, or one for a call that gets no such record,
/// is the size of an object.
void addCount(DemandTable &Demands, const clang::CallExpr *Call,
              unsigned Number, const OffsetSum &Value);

/// A call that returns its first argument: __builtin_expect.
bool isPassThrough(const clang::CallExpr *Call);

/// Whether a parameter says how much another one points to, by its type or
/// name.
bool isCount(const clang::ParmVarDecl *Param);

/// The pointers just before argument Number of a call, if that says how much
/// they point to.
bool isCounted(const OffsetReader &Offsets, const clang::CallExpr *Call,
               unsigned Number,
               llvm::SmallVectorImpl<const clang::Expr *> &Pointers);

/// Adds the members that Count bytes from a place in a member cover, if they
/// reach beyond it.
void addReach(DemandTable &Demands, const OffsetReader &Offsets,
              const OffsetSum &Place, int64_t Count,
              clang::SourceLocation Where);

/// When argument Number is the constant count of memset, memcpy, memmove or
/// memcmp, or one that follows a pointer and is named like a length: adds the
/// members that the pointer reaches beyond the one it names.
void addOverrun(DemandTable &Demands, const OffsetReader &Offsets,
                const clang::CallExpr *Call, unsigned Number);

/// When a list sets the offset of a member and a size (a field so named) beyond
/// it, adds the members that it covers.
void addRow(DemandTable &Demands, const OffsetReader &Offsets,
            const clang::InitListExpr *List);

/// 0, a null pointer, or braces around nothing or one such.
bool isZero(const clang::Expr *E, clang::ASTContext &Context);
/// Whether a list, in its syntactic form, has a value without designator;
/// Lists: values in braces of their own count.
bool hasUnnamed(const clang::InitListExpr *Written, bool Lists);
/// Visits what the semantic list sets of its record, in the order of fields.
void forEachInit(
    const clang::InitListExpr *List,
    llvm::function_ref<void(const clang::FieldDecl *, const clang::Expr *)>
        Visit);
/// The last field of a record that the semantic list sets; null: none.
const clang::FieldDecl *lastInitialised(const clang::InitListExpr *List);

} // namespace kst
