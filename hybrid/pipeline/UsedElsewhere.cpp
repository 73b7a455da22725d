// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/UsedElsewhere.h"

#include "hybrid/core/Words.h"
#include "hybrid/pipeline/TreeFiles.h"

#include "llvm/ADT/StringSet.h"

#include <tuple>

namespace kst {

namespace {

bool isVariable(const LineEdit &Edit) {
  return Edit.What == LineEdit::SpreadIndex ||
         Edit.What == LineEdit::SpreadPointer;
}

/// Whether a line of the text declares the variable to be elsewhere.
bool declares(llvm::StringRef Text, std::string_view Name) {
  while (!Text.empty()) {
    const auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    bool Extern = false, Named = false;
    forEachWord(Line, [&](std::string_view Word) {
      Extern |= Word == std::string_view("extern");
      Named |= Word == Name;
    });
    if (Extern && Named)
      return true;
  }
  return false;
}

} // namespace

bool needsAllUnits(const LineEdit &Edit) {
  return isVariable(Edit) || Edit.What == LineEdit::SpreadMember ||
         Edit.What == LineEdit::AlignMember;
}

std::vector<std::string> usedElsewhere(const FactsSession &In,
                                       const std::vector<LineEdit> &Edits) {
  std::vector<std::string> Found(Edits.size());
  llvm::StringSet<> Known, Mains, InHeaders;
  for (const TuFacts &Unit : In.Units) {
    Mains.insert(Unit.Strings[Unit.MainFile]);
    for (const std::string &Text : Unit.Strings)
      Known.insert(Text);
  }
  std::vector<size_t> Asked;
  for (size_t E = 0; E != Edits.size(); ++E)
    if (needsAllUnits(Edits[E]) && Edits[E].Line &&
        (isVariable(Edits[E]) || !Mains.contains(Edits[E].File)))
      Asked.push_back(E);
  if (Asked.empty())
    return Found;
  std::vector<std::tuple<size_t, std::string>> Mentioned;
  auto Look = [&](llvm::StringRef File, llvm::StringRef Text) {
    llvm::StringSet<> Words;
    bool Allocates = false;
    forEachWord(Text, [&](std::string_view Word) {
      Words.insert(Word);
      Allocates |= Word.find("alloc") != std::string_view::npos;
    });
    const bool Other = !Known.contains(File) && !Words.contains("main");
    for (size_t E : Asked) {
      const LineEdit &Edit = Edits[E];
      const bool Member = Edit.What == LineEdit::SpreadMember;
      if (!Words.contains(Member ? Edit.Part : Edit.Name))
        continue;
      if (!isVariable(Edit)) {
        if (Other && (Member || Allocates))
          Found[E] = File;
        continue;
      }
      const bool Declares =
          Words.contains("extern") && declares(Text, Edit.Name);
      if (Declares && Known.contains(File) && !Mains.contains(File))
        InHeaders.insert(Edit.Name);
      if (Other && Declares)
        Found[E] = File;
      else if (Other)
        Mentioned.emplace_back(E, File);
    }
  };
  forEachSource(In.SourceRoot, [&](llvm::StringRef Path, llvm::StringRef Text) {
    Path.consume_front(In.SourceRoot);
    Path.consume_front("/");
    Look(Path, Text);
    return true;
  });
  for (const auto &[E, File] : Mentioned)
    if (Found[E].empty() && InHeaders.contains(Edits[E].Name))
      Found[E] = File;
  return Found;
}

} // namespace kst
