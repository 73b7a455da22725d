// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/AnonymousStructs.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace kst {

static bool isTight(const RecordDecl *Record) {
  return Record->hasAttr<PackedAttr>() ||
         Record->hasAttr<MaxFieldAlignmentAttr>();
}

bool isOpened(const FieldDecl *Field) {
  if (!Field->isAnonymousStructOrUnion())
    return false;
  const RecordDecl *Around = Field->getParent();
  const RecordDecl *Held = Field->getType()->getAsRecordDecl();
  return Held && !Held->isUnion() && !Around->isUnion() && !isTight(Held) &&
         !isTight(Around) && !Field->hasAttr<PackedAttr>() &&
         !Held->field_empty() && !Held->hasAttr<RandomizeLayoutAttr>();
}

/// The member that an anonymous struct is in the record around it, if it is
/// opened there.
static const FieldDecl *openedMember(const RecordDecl *Struct) {
  if (!Struct->isAnonymousStructOrUnion())
    return nullptr;
  if (const auto *Around = dyn_cast<RecordDecl>(Struct->getDeclContext()))
    for (const FieldDecl *Field : Around->fields())
      if (Field->isAnonymousStructOrUnion() &&
          Field->getType()->getAsRecordDecl() == Struct)
        return isOpened(Field) ? Field : nullptr;
  return nullptr;
}

bool isOpened(const RecordDecl *Struct) { return openedMember(Struct); }

const RecordDecl *ownerOf(const FieldDecl *Field) {
  const RecordDecl *Owner = Field->getParent();
  while (const FieldDecl *Member = openedMember(Owner))
    Owner = Member->getParent();
  return Owner;
}

static void addFields(const RecordDecl *Record,
                      llvm::SmallVectorImpl<const FieldDecl *> &All) {
  for (const FieldDecl *Field : Record->fields())
    if (isOpened(Field))
      addFields(Field->getType()->getAsRecordDecl(), All);
    else
      All.push_back(Field);
}

llvm::SmallVector<const FieldDecl *, 32> fieldsOf(const RecordDecl *Record) {
  llvm::SmallVector<const FieldDecl *, 32> All;
  addFields(Record, All);
  return All;
}

uint32_t numberOf(const FieldDecl *Field) {
  while (isOpened(Field))
    Field = *Field->getType()->getAsRecordDecl()->field_begin();
  auto All = fieldsOf(ownerOf(Field));
  return std::ranges::find(All, Field) - All.begin();
}

uint64_t offsetInOwner(const ASTContext &Context, const FieldDecl *Field) {
  uint64_t Bits = Context.getFieldOffset(Field);
  for (const RecordDecl *In = Field->getParent();
       const FieldDecl *Member = openedMember(In); In = Member->getParent())
    Bits += Context.getFieldOffset(Member);
  return Bits;
}

} // namespace kst
