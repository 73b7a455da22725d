// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/CompilerConditions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace kst {

static bool isWordByte(char C) { return llvm::isAlnum(C) || C == '_'; }

/// Only whether there is one: the word behind `#ifdef`, `defined(`.
static bool isDefinedTest(llvm::StringRef Before) {
  Before = Before.rtrim();
  if (Before.consume_back("("))
    Before = Before.rtrim();
  return Before.ends_with("defined") || Before.ends_with("ifdef") ||
         Before.ends_with("ifndef");
}

/// Whether a directive asks which compiler reads it, or what that can.
static bool asksCompiler(llvm::StringRef Line) {
  for (size_t At = 0; At < Line.size();) {
    if (!isWordByte(Line[At])) {
      ++At;
      continue;
    }
    size_t End = At;
    while (End < Line.size() && isWordByte(Line[End]))
      ++End;
    const llvm::StringRef Word = Line.slice(At, End);
    if (Word == "__GNUC__"
            ? !isDefinedTest(Line.take_front(At))
            : Word.starts_with("__clang") || Word.starts_with("__GNUC_") ||
                  (Word.starts_with("__has_") &&
                   !Word.starts_with("__has_include") &&
                   !isDefinedTest(Line.take_front(At))))
      return true;
    At = End;
  }
  return false;
}

std::vector<std::pair<unsigned, unsigned>>
compilerConditions(llvm::StringRef Text) {
  struct Open {
    unsigned Begin;
    bool Asks;
  };
  std::vector<Open> Stack;
  std::vector<std::pair<unsigned, unsigned>> Found;
  for (size_t At = 0; At < Text.size();) {
    const unsigned Begin = At;
    size_t End;
    do { // a backslash continues a line
      End = std::min(Text.find('\n', At), Text.size());
      At = End + 1;
    } while (End < Text.size() &&
             Text.slice(Begin, End).rtrim("\r").ends_with("\\"));
    llvm::StringRef Line = Text.slice(Begin, End).ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (Line.starts_with("if"))
      Stack.push_back({Begin, asksCompiler(Line)});
    else if (Line.starts_with("elif") && !Stack.empty())
      Stack.back().Asks |= asksCompiler(Line);
    else if (Line.starts_with("endif") && !Stack.empty()) {
      if (Stack.back().Asks)
        Found.push_back({Stack.back().Begin, unsigned(End)});
      Stack.pop_back();
    }
  }
  return Found;
}

bool CompilerConditions::meet(const clang::SourceManager &Sources,
                              clang::SourceRange Range) {
  auto [File, Begin] = Sources.getDecomposedExpansionLoc(Range.getBegin());
  auto [Last, End] = Sources.getDecomposedExpansionLoc(Range.getEnd());
  if (File.isInvalid() || File != Last)
    return false;
  auto [It, New] = Known.try_emplace(File);
  if (New)
    It->second = compilerConditions(Sources.getBufferData(File));
  return llvm::any_of(It->second, [&, From = Begin, To = End](const auto &Of) {
    return Of.first < To && Of.second > From;
  });
}

} // namespace kst
