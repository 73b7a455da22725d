// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/UsedElsewhere.h"

#include "hybrid/core/Words.h"
#include "hybrid/pipeline/TreeFiles.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace kst {

namespace {

bool isVariable(const LineEdit &Edit) {
  return Edit.What == LineEdit::SpreadIndex ||
         Edit.What == LineEdit::SpreadPointer;
}

/// Whether the text declares the variable to be elsewhere.
bool declares(llvm::StringRef Text, std::string_view Name) {
  constexpr llvm::StringRef Extern = "extern";
  for (size_t At = Text.find(Extern); At != Text.npos;
       At = Text.find(Extern, At + 1)) {
    bool Named = false;
    forEachWord(Text.substr(At, Text.find_first_of(";{", At) - At),
                [&](std::string_view Word) { Named |= Word == Name; });
    if (Named)
      return true;
  }
  return false;
}

bool isHeader(llvm::StringRef File) {
  const llvm::StringRef Ext = llvm::sys::path::extension(File);
  return Ext.starts_with(".h") || Ext == ".inc";
}

} // namespace

bool needsAllUnits(const LineEdit &Edit) {
  return isVariable(Edit) || Edit.What == LineEdit::SpreadMember ||
         Edit.What == LineEdit::AlignMember || Edit.What == LineEdit::PadRecord;
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
    const bool Other = !Known.contains(File) && !isHeader(File) &&
                       !Text.contains("int main") &&
                       !Text.contains("void main");
    for (size_t E : Asked) {
      const LineEdit &Edit = Edits[E];
      const bool Member = Edit.What == LineEdit::SpreadMember;
      if (!Words.contains(Member ? Edit.Part : Edit.Name))
        continue;
      if (!isVariable(Edit)) {
        if (Other && (Edit.What != LineEdit::AlignMember || Allocates))
          Found[E] = File;
      } else if (!Other) {
        if (isHeader(File))
          InHeaders.insert(Edit.Name);
      } else if (declares(Text, Edit.Name)) {
        Found[E] = File;
      } else {
        Mentioned.emplace_back(E, File);
      }
    }
  };
  forEachSource(In.SourceRoot, [&](llvm::StringRef Path, llvm::StringRef Text) {
    Path.consume_front(In.SourceRoot);
    Path.consume_front("/");
    if (!Text.contains('\0')) // a program, which has no suffix either
      Look(Path, Text);
    return true;
  });
  for (const auto &[E, File] : Mentioned)
    if (Found[E].empty() && InHeaders.contains(Edits[E].Name))
      Found[E] = File;
  return Found;
}

} // namespace kst
