// SPDX-License-Identifier: GPL-2.0-or-later
//
// Members of an anonymous struct are fields of the record around it, as C says
// (C11 6.7.2.1p13). Which ones the tool sees that way, and how such fields are
// numbered.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace kst {

/// True for an anonymous struct whose members count as fields of the record
/// that it is a member of. One in a union is a part of that, and nothing moves
/// inside of a packed one (or one under `#pragma pack`): these stay one field.
bool isOpened(const clang::FieldDecl *Field);
/// True for the type of such a member.
bool isOpened(const clang::RecordDecl *Struct);

/// The record whose field it is: the one around all opened structs.
const clang::RecordDecl *ownerOf(const clang::FieldDecl *Field);

/// The fields of a record in the order of the definition, with those of opened
/// structs in place of the structs.
llvm::SmallVector<const clang::FieldDecl *, 32>
fieldsOf(const clang::RecordDecl *Record);

/// Its index in fieldsOf(ownerOf(Field)); of an opened struct, that of its
/// first field.
uint32_t numberOf(const clang::FieldDecl *Field);

/// Its offset in bits from the start of ownerOf(Field).
uint64_t offsetInOwner(const clang::ASTContext &Context,
                       const clang::FieldDecl *Field);

} // namespace kst
