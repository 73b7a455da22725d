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
  for (uint32_t Field : Fields)
    if (!declaratorEnd(Source, Field))
      return llvm::createStringError(
          Source.fieldName(Field) +
          " shares a declaration with others: give it one of its own");
  std::string Text = Source.text();
  // From the end on. A list of declarators with an attribute inside could not
  // be taken apart any more: each gets a declaration, on the same line.
  for (uint32_t I = Source.items().size(); I-- != 0;) {
    const Definition::Item &Item = Source.items()[I];
    if (llvm::none_of(Item.Fields, [&](uint32_t F) {
          return llvm::is_contained(Fields, F);
        }))
      continue;
    const std::string Words = (" " + Attribute).str();
    if (Item.Parts.empty()) {
      Text.insert(*declaratorEnd(Source, Item.Fields.front()), Words);
      continue;
    }
    std::string Apart;
    for (const Definition::Part &Part : Item.Parts) {
      std::string One = Part.Text;
      if (llvm::any_of(Definition::fieldsOf(Item, Part), [&](uint32_t F) {
            return llvm::is_contained(Fields, F);
          }))
        One.insert(One.rfind(';'), Words);
      Apart += (Apart.empty() ? "" : " ") + One;
    }
    const uint32_t Begin = Item.Parts.front().Begin;
    Text.replace(Begin, Item.Parts.back().End - Begin, Apart);
  }
  return Text;
}

} // namespace kst
