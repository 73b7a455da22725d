// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/BodyTokens.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

std::vector<RawToken> lexRaw(llvm::StringRef Text, uint32_t Begin,
                             uint32_t End) {
  // The lexer wants a zero after the text.
  std::string Copy = Text.slice(Begin, End).str();
  LangOptions Options;
  Options.LineComment = true;
  Options.C99 = Options.C11 = true;
  Options.GNUMode = true;
  Options.CPlusPlus = Options.CPlusPlus11 = true; // `::` is one token
  Options.Digraphs = true;
  Lexer Raw(SourceLocation(), Options, Copy.data(), Copy.data(),
            Copy.data() + Copy.size());
  Raw.SetCommentRetentionState(true);
  std::vector<RawToken> Tokens;
  Token At;
  for (Raw.LexFromRawLexer(At); At.isNot(tok::eof); Raw.LexFromRawLexer(At)) {
    RawToken T;
    T.Kind = At.getKind();
    T.End = Begin + (Raw.getBufferLocation() - Copy.data());
    T.Begin = T.End - At.getLength();
    T.LineStart = At.isAtStartOfLine();
    Tokens.push_back(T);
  }
  return Tokens;
}

uint32_t columnOf(llvm::StringRef Text, uint32_t LineBegin, uint32_t Offset) {
  uint32_t Column = 0;
  for (char C : Text.slice(LineBegin, Offset))
    Column = C == '\t' ? (Column / 8 + 1) * 8 : Column + 1;
  return Column;
}

std::vector<BodyToken> lexTokens(llvm::StringRef Text, uint32_t Begin,
                                 uint32_t End) {
  std::vector<BodyToken> Kept;
  for (const RawToken &T : lexRaw(Text, Begin, End))
    if (T.Kind != tok::comment)
      Kept.push_back(T);
  return Kept;
}

bool isTypeWord(llvm::StringRef Word) {
  static const llvm::StringRef Words[] = {
      "struct",        "union",    "enum",          "unsigned", "signed",
      "int",           "long",     "short",         "char",     "const",
      "void",          "volatile", "float",         "double",   "_Bool",
      "bool",          "typeof",   "__typeof__",    "__signed", "_Alignas",
      "__volatile__",  "_Atomic",  "__extension__", "__int128", "restrict",
      "__attribute__", "__const",  "static"};
  return llvm::is_contained(Words, Word);
}

bool hasBlankLine(llvm::StringRef Gap) {
  while (!Gap.empty()) {
    auto [Line, Rest] = Gap.split('\n');
    if (Line.trim().empty())
      return true;
    Gap = Rest;
  }
  return false;
}

} // namespace kst
