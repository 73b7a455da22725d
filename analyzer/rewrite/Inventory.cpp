// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Inventory.h"

#include "analyzer/rewrite/Declarators.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

namespace {

using Item = Definition::Item;

/// Where the braces of an untagged struct end, whose inside is looked at by
/// itself; 0 for other declarations.
uint32_t endOfBraces(const Item &I, llvm::StringRef Text) {
  auto Open = llvm::find_if(I.Tokens, [](const BodyToken &T) {
    return T.Kind == clang::tok::l_brace;
  });
  if (Open == I.Tokens.begin() || Open == I.Tokens.end() ||
      Text.slice(Open[-1].Begin, Open[-1].End) != "struct")
    return 0;
  int Depth = 0;
  for (auto At = Open; At != I.Tokens.end(); ++At) {
    Depth += At->Kind == clang::tok::l_brace;
    if (At->Kind == clang::tok::r_brace && --Depth == 0)
      return At->End;
  }
  return 0;
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
    auto Words = [&](llvm::StringRef Text) {
      std::string Line;
      for (const BodyToken &T : lexTokens(Text, 0, Text.size()))
        Line += Text.slice(T.Begin, T.End).str() + " ";
      return Line;
    };
    if (uint32_t Behind = endOfBraces(I, Source.text())) {
      llvm::StringRef Text = Source.text();
      All.push_back(Where +
                    Words(Text.slice(I.Tokens[0].Begin,
                                     Text.find('{', I.Tokens[0].Begin))) +
                    "{ } " + Words(Text.slice(Behind, I.End)));
      continue;
    }
    if (auto Split = splitDeclaration(I, Source.text())) {
      for (const std::string &D : Split->Declarators)
        All.push_back(Where + Words(Split->Specifiers + D + ";"));
      continue;
    }
    All.push_back(Where +
                  Words(llvm::StringRef(Source.text()).slice(I.Begin, I.End)));
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
