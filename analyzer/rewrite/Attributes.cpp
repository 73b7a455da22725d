// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Attributes.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace kst {

/// Where the ',' or ';' behind the declarator of a field is.
static std::optional<uint32_t> declaratorEnd(const Definition &Source,
                                             uint32_t Field) {
  const Definition::Item &Item = Source.items()[Source.itemOf(Field)];
  for (const Definition::Part &Part : Item.Parts)
    if (llvm::is_contained(Definition::fieldsOf(Item, Part), Field))
      return Part.End - 1;
  if (Item.Fields.size() != 1)
    return std::nullopt;
  for (const BodyToken &Token : llvm::reverse(Item.Tokens))
    if (Token.Kind == clang::tok::semi)
      return Token.Begin;
  return std::nullopt;
}

llvm::Expected<std::string> withAttribute(const Definition &Source,
                                          llvm::ArrayRef<uint32_t> Fields,
                                          llvm::StringRef Attribute) {
  std::vector<uint32_t> Places;
  for (uint32_t Field : Fields) {
    const std::optional<uint32_t> End = declaratorEnd(Source, Field);
    if (!End)
      return llvm::createStringError(
          Source.fieldName(Field) +
          " shares a declaration with others: give it one of its own");
    Places.push_back(*End);
  }
  llvm::sort(Places, std::greater<>());
  std::string Text = Source.text();
  for (uint32_t Place : Places)
    Text.insert(Place, (" " + Attribute).str());
  return Text;
}

} // namespace kst
