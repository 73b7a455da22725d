// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pointers that reach beyond the member, or the type, that they name:
// `&p->a + 1`, `(char *)p + 16`, `((u32 *)p)[2]`.

#pragma once

#include "analyzer/facts/DemandTable.h"
#include "analyzer/facts/OffsetSum.h"

#include "clang/AST/Expr.h"

namespace kst {

/// The record, complete and no union, that a pointer led to before an explicit
/// cast; null for others.
const clang::RecordDecl *recordBeforeCast(const clang::Expr *Pointer);

/// Whether a record that is seen as something scalar begins with the like: any
/// record for numbers, one that begins with a pointer for pointers.
bool startsLike(const clang::RecordDecl *Record, clang::QualType Seen);

/// All members from the start of the record to a byte, if that lies in it.
void addUpTo(DemandTable &Demands, const OffsetReader &Offsets,
             const clang::RecordDecl *Record, int64_t Byte,
             clang::SourceLocation Where);

/// The number of the last of the members that follow with the same type.
uint32_t lastOfRow(const OffsetReader &Offsets, const clang::FieldDecl *First);

/// `&p->a + Count`: from a to the member that is reached, or, if the count is
/// no constant, to the last of those that follow with the same type.
void addMemberStep(DemandTable &Demands, const OffsetReader &Offsets,
                   const clang::FieldDecl *Field, bool Constant, int64_t Count,
                   clang::SourceLocation Where);

/// `p + i` and `p[i]` with a pointer on the left: members between the one that
/// is named, or the start of the record, and the byte reached. An index that is
/// no constant reaches the last of the members that follow with the same type.
void addStep(DemandTable &Demands, const OffsetReader &Offsets,
             const clang::Expr *Pointer, const clang::Expr *Index,
             clang::SourceLocation Where);

/// `*(u64 *)p`: the members that a number read at the start of a record covers.
void addDereference(DemandTable &Demands, const OffsetReader &Offsets,
                    const clang::Expr *Pointer, clang::SourceLocation Where);

/// The record that is seen as an array of numbers by a cast, and the bytes of
/// one; null for anything else, bytes included.
const clang::RecordDecl *seenAsNumbers(const OffsetReader &Offsets,
                                       const clang::Expr *Pointer,
                                       int64_t &ElementBytes);

} // namespace kst
