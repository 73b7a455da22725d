// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/StructTypes.h"

#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace kst::counters;

StringRef kst::counters::sourceName(const StructType &Type) {
  if (!Type.hasName())
    return "";
  StringRef Name = Type.getName();
  if (!Name.consume_front("struct.") && !Name.consume_front("union.") &&
      !Name.consume_front("class."))
    return "";
  auto [Stem, Suffix] = Name.rsplit('.');
  if (!Suffix.empty() &&
      Suffix.find_first_not_of("0123456789") == StringRef::npos)
    Name = Stem;
  // What clang calls struct types without a tag: anon, anon.5.
  return Name == "anon" || Name.starts_with("anon.") ? "" : Name;
}

StructType *StructTypes::find(LLVMContext &Context, StringRef Name) {
  for (StringRef Prefix : {"struct.", "class.", "union."})
    if (auto *Type = StructType::getTypeByName(Context, (Prefix + Name).str()))
      return Type->isOpaque() ? nullptr : Type;
  return nullptr;
}

bool StructTypes::isSelected(StructType *Type) const {
  StringRef Name = sourceName(*Type);
  return !Name.empty() && !Type->isOpaque() && Type->isSized() &&
         (O.AllStructs || O.Structs.contains(Name));
}

StructTypes::StructTypes(const Module &M, const Options &O, SiteTable &Table)
    : O(O), Layout(M.getDataLayout()), Table(Table) {
  if (O.ByAddress == Options::Off)
    return;
  SmallVector<Type *> Inside;
  for (StructType *Type : M.getIdentifiedStructTypes())
    if (isSelected(Type))
      Inside.append(Type->element_begin(), Type->element_end());
  while (!Inside.empty()) {
    Type *T = Inside.pop_back_val();
    if (auto *Array = dyn_cast<ArrayType>(T))
      Inside.push_back(Array->getElementType());
    else if (auto *Struct = dyn_cast<StructType>(T))
      if (Nested.insert(Struct).second)
        Inside.append(Struct->element_begin(), Struct->element_end());
  }
}

bool StructTypes::isEmbedded(StructType *Type) const {
  return Nested.contains(Type) || O.Embedded.contains(sourceName(*Type));
}

uint32_t StructTypes::number(StructType *Type) {
  auto [It, New] = Numbers.try_emplace(Type, NoStruct);
  if (!New)
    return It->second;
  if (!isSelected(Type))
    return NoStruct;
  StructLayout S;
  S.Name = sourceName(*Type).str();
  const llvm::StructLayout *L = Layout.getStructLayout(Type);
  if (L->getSizeInBytes().isScalable() || L->getSizeInBytes() > UINT32_MAX)
    return NoStruct;
  S.Size = L->getSizeInBytes();
  for (unsigned I = 0; I != Type->getNumElements(); ++I)
    S.Elements.push_back(
        {uint32_t(L->getElementOffset(I).getFixedValue()),
         uint32_t(Layout.getTypeAllocSize(Type->getElementType(I))
                      .getFixedValue())});
  for (uint32_t I = 0; I != Table.Structs.size(); ++I)
    if (Table.Structs[I].Name == S.Name && Table.Structs[I].Size == S.Size)
      return It->second = I;
  It->second = Table.Structs.size();
  Table.Structs.push_back(std::move(S));
  return It->second;
}
