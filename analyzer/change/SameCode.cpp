// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/SameCode.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Driver/Types.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <vector>

using namespace clang;
using llvm::StringRef;

namespace kst {
namespace {

/// The tokens of a text that starts at a null-terminated copy.
std::vector<std::string> codeOf(StringRef Given, bool WithoutMembers) {
  const std::string Text = Given.str();
  LangOptions Language;
  Language.C11 = Language.GNUMode = Language.LineComment = true;
  Language.CPlusPlus11 = Language.RawStringLiterals = true;
  Lexer From(SourceLocation(), Language, Text.data(), Text.data(),
             Text.data() + Text.size());
  std::vector<std::string> Tokens;
  bool Directive = false; ///< on a preprocessor line
  // Braces of a definition: seen its keyword, then its depth.
  bool Keyword = false;
  int Depth = 0;
  for (;;) {
    Token Next;
    const bool Last = From.LexFromRawLexer(Next);
    if (Next.is(tok::eof))
      break;
    const size_t Length = Next.getLength();
    const size_t End = From.getBufferLocation() - Text.data();
    std::string Word = Text.substr(End - Length, Length);
    if (Next.isAtStartOfLine()) {
      const bool Was = std::exchange(Directive, Next.is(tok::hash));
      if ((Was || Directive) && !Depth)
        Tokens.push_back("\n");
    } else if (Directive && Next.hasLeadingSpace() && !Depth)
      Tokens.push_back(" ");
    if (Depth && Directive) {
      // A #define among members is code, too.
      Tokens.push_back(Word);
    } else if (Depth) {
      Depth += Next.is(tok::l_brace) ? 1 : Next.is(tok::r_brace) ? -1 : 0;
      if (!Depth)
        Tokens.push_back("}");
    } else {
      Tokens.push_back(Word);
      if (!Directive && WithoutMembers) {
        if (Word == "struct" || Word == "union")
          Keyword = true;
        else if (Next.is(tok::l_brace) && Keyword) {
          Depth = 1;
          Keyword = false;
        } else if (Next.isOneOf(tok::semi, tok::equal, tok::r_paren,
                                tok::l_brace, tok::star, tok::comma))
          Keyword = false;
      }
    }
    if (Last)
      break;
  }
  return Tokens;
}

} // namespace

bool mayBeCode(StringRef Name) {
  const StringRef Extension = llvm::sys::path::extension(Name);
  if (Extension.empty()) // a header of C++; not README or Makefile
    return llvm::none_of(llvm::sys::path::filename(Name), llvm::isUpper);
  static constexpr const char *Parts[] = {".inc", ".def", ".inl", ".ipp",
                                          ".tcc", ".tpp", ".txx", ".tmpl",
                                          ".tbl", ".x",   ".in"};
  namespace types = clang::driver::types;
  const types::ID Kind = types::lookupTypeForExtension(Extension.drop_front());
  return llvm::is_contained(Parts, Extension) ||
         (Kind != types::TY_INVALID && types::isDerivedFromC(Kind));
}

bool isSameCode(StringRef A, StringRef B) {
  return A == B || codeOf(A, false) == codeOf(B, false);
}

bool differsInMembersOnly(StringRef A, StringRef B) {
  return A == B || codeOf(A, true) == codeOf(B, true);
}

} // namespace kst
