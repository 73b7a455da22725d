// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Attributes.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

/// The end of an item without parts: of its last ';'.
static uint32_t declaratorEnd(const Definition::Item &Item) {
  for (const BodyToken &Token : llvm::reverse(Item.Tokens))
    if (Token.Kind == clang::tok::semi)
      return Token.Begin;
  return Item.End;
}

llvm::Expected<std::string> withAttribute(const Definition &Source,
                                          llvm::ArrayRef<uint32_t> Fields,
                                          llvm::StringRef Attribute) {
  auto Wanted = [&](llvm::ArrayRef<uint32_t> Some) {
    return llvm::any_of(
        Some, [&](uint32_t F) { return llvm::is_contained(Fields, F); });
  };
  const std::string Words = (" " + Attribute).str();
  std::string Text = Source.text();
  // From the end on. A list of declarators with an attribute inside could not
  // be taken apart any more: each gets a declaration, on the same line.
  for (const Definition::Item &Item : llvm::reverse(Source.items())) {
    if (!Wanted(Item.Fields))
      continue;
    if (Item.Parts.empty()) {
      if (Item.Fields.size() != 1)
        return llvm::createStringError(
            Source.fieldName(Item.Fields.front()) +
            " shares a declaration with others: give it one of its own");
      Text.insert(declaratorEnd(Item), Words);
      continue;
    }
    std::string Apart;
    uint32_t End = Item.Parts.front().Begin;
    for (const Definition::Part &Part : Item.Parts) {
      Apart += Source.text().substr(End, Part.Begin - End);
      End = Part.End;
      Apart += Part.Text;
      if (Wanted(Definition::fieldsOf(Item, Part)))
        Apart.insert(Apart.size() - 1, Words); // before the ';'
    }
    const uint32_t Begin = Item.Parts.front().Begin;
    Text.replace(Begin, End - Begin, Apart);
  }
  return Text;
}

} // namespace kst
