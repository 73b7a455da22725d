// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes that are taken for a record: where they come from, and whether the
// record is read before anything is written to it. An allocator hands out bytes
// too, but what it hands out is written first.

#pragma once

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace kst {

/// The array of bytes, or pointer to bytes, that a pointer is made of, through
/// casts and sums; null for a pointer to anything else, `void *` included, and
/// for the bytes of a member, which are its own.
const clang::Expr *bytesUnder(const clang::Expr *Pointer);

/// Whether code of the body reads the record that a cast makes, as far as its
/// first use tells: a pointer to const, a member that is read, a call that gets
/// it; OrReturned: a return. Body may be null.
bool isRead(const clang::Stmt *Body, const clang::CastExpr *Cast,
            bool OrReturned);

} // namespace kst
