// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Inventory.h"

#include "analyzer/rewrite/Declarators.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

using Item = Definition::Item;

/// The words of a text, comments left out; of a struct the braces alone, as the
/// inside of an untagged one is looked at by itself and that of others cannot
/// change.
std::string tokensOf(llvm::StringRef Text) {
  std::string Words;
  bool Struct = false; // a '{' would be that of a struct
  int Inside = 0;
  for (const BodyToken &T : lexTokens(Text, 0, Text.size())) {
    llvm::StringRef Word = Text.slice(T.Begin, T.End);
    Inside -= Inside && T.Kind == clang::tok::r_brace;
    if (Inside == 0)
      Words += Word.str() + " ";
    Inside += T.Kind == clang::tok::l_brace && (Inside || Struct);
    if (Word == "struct")
      Struct = true;
    else if (T.Kind == clang::tok::semi || T.Kind == clang::tok::l_brace)
      Struct = false;
  }
  return Words;
}

/// Every declaration under every condition, in no order: what no rewriting
/// may change.
std::vector<std::string> inventory(const Definition &Source) {
  std::vector<std::string> All;
  for (const Item &I : Source.items()) {
    if (I.Tokens.empty())
      continue;
    std::vector<std::string> Conditions;
    for (const BranchRef &R : I.Path)
      Conditions.push_back(Source.body().Blocks[R.Block].key(R.Branch));
    llvm::sort(Conditions);
    std::string Where;
    for (const std::string &C : Conditions)
      Where += "[" + C + "]";
    const std::vector<DeclaredPart> Parts = partsOf(I, Source.text());
    for (const DeclaredPart &Part : Parts)
      All.push_back(Where + tokensOf(Part.Text));
    if (Parts.empty())
      All.push_back(
          Where +
          tokensOf(llvm::StringRef(Source.text()).slice(I.Begin, I.End)));
  }
  llvm::sort(All);
  return All;
}

} // namespace

llvm::Error checkInventory(const Definition &Old, const std::string &NewText) {
  RecordInfo Shape;
  llvm::StringRef After =
      llvm::StringRef(NewText).drop_back(Old.text().size() - Old.body().End);
  Shape.Name = Old.recordName();
  Shape.Line = Old.line();
  Shape.EndLine = 1 + After.count('\n');
  llvm::Expected<Definition> New = Definition::parse(NewText, Shape);
  if (!New)
    return llvm::createStringError("the new text cannot be read back: " +
                                   llvm::toString(New.takeError()));
  if (inventory(Old) != inventory(*New))
    return llvm::createStringError(
        "the new text does not hold the same declarations under the "
        "same conditions");
  return llvm::Error::success();
}

} // namespace kst
