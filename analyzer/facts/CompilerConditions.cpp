// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/CompilerConditions.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

namespace {

/// The compiler that clang says to be like: `__GNUC__ >= 4` holds for both.
constexpr unsigned LikeGcc = 4;

/// The words of a directive.
using Words = llvm::SmallVector<llvm::StringRef, 16>;

bool asksForOlder(const Words &Line, size_t At) {
  unsigned Version;
  if (At + 2 >= Line.size() || Line[At + 2].getAsInteger(0, Version))
    return false;
  return (Line[At + 1] == ">=" && Version <= LikeGcc) ||
         (Line[At + 1] == ">" && Version < LikeGcc);
}

/// Whether a directive asks which compiler reads it.
bool asksCompiler(const Words &Line) {
  for (size_t At = 1; At < Line.size(); ++At) {
    const llvm::StringRef Word = Line[At];
    const bool Defined =
        Line[At - 1] == "defined" || Line[At - 1] == "ifdef" ||
        Line[At - 1] == "ifndef" ||
        (At > 1 && Line[At - 1] == "(" && Line[At - 2] == "defined");
    if (Word == "__GNUC__"
            ? !Defined && !asksForOlder(Line, At)
            : Word == "__llvm__" || Word.starts_with("__GNUC_") ||
                  (Word.starts_with("__clang") && Word != "__clang_analyzer__"))
      return true;
  }
  return false;
}

} // namespace

std::vector<std::pair<unsigned, unsigned>>
compilerConditions(llvm::StringRef Text) {
  struct Open {
    unsigned Begin;
    bool Asks;
  };
  std::vector<Open> Stack;
  std::vector<std::pair<unsigned, unsigned>> Found;
  std::vector<char> Copy(Text.begin(), Text.end());
  Copy.push_back(0);
  Lexer Raw(SourceLocation(), LangOptions(), Copy.data(), Copy.data(),
            Copy.data() + Text.size());
  Token Next;
  Raw.LexFromRawLexer(Next);
  auto Offset = [&] {
    return unsigned(Raw.getBufferLocation() - Copy.data() - Next.getLength());
  };
  while (Next.isNot(tok::eof)) {
    const bool Directive = Next.is(tok::hash) && Next.isAtStartOfLine();
    const unsigned Begin = Offset();
    Raw.LexFromRawLexer(Next);
    if (!Directive)
      continue;
    Words Line;
    for (; Next.isNot(tok::eof) && !Next.isAtStartOfLine();
         Raw.LexFromRawLexer(Next))
      Line.push_back(Text.substr(Offset(), Next.getLength()));
    if (Line.empty())
      continue;
    if (Line[0].starts_with("if"))
      Stack.push_back({Begin, asksCompiler(Line)});
    else if (Line[0].starts_with("elif") && !Stack.empty())
      Stack.back().Asks |= asksCompiler(Line);
    else if (Line[0] == "endif" && !Stack.empty()) {
      if (Stack.back().Asks)
        Found.push_back({Stack.back().Begin, Begin});
      Stack.pop_back();
    }
  }
  return Found;
}

bool CompilerConditions::meet(const SourceManager &Sources, SourceRange Range) {
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
