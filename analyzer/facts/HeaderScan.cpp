// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/HeaderScan.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace clang;
using llvm::StringRef;

namespace kst {
namespace {

LangOptions gnuC() {
  LangOptions Options;
  Options.C99 = Options.C11 = Options.LineComment = Options.GNUMode = true;
  return Options;
}

void sortUnique(std::vector<StringRef> &Names) {
  llvm::sort(Names);
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
}

/// Tokens of a text, one ahead.
class TokenStream {
public:
  explicit TokenStream(StringRef Text)
      : Text(Text),
        Raw(SourceLocation(), Options, Text.begin(), Text.begin(), Text.end()) {
    next();
  }

  Token At;
  uint32_t Begin = 0; ///< of At
  uint32_t End = 0;

  void next() {
    Raw.LexFromRawLexer(At);
    End = Raw.getBufferLocation() - Text.begin();
    Begin = End - (At.is(tok::eof) ? 0 : At.getLength());
  }
  bool atEnd() const { return At.is(tok::eof); }
  bool atDirective() const { return At.is(tok::hash) && At.isAtStartOfLine(); }
  bool atName() const { return At.is(tok::raw_identifier); }
  StringRef spelling() const { return Text.slice(Begin, End); }
  StringRef rest() const { return Text.drop_front(End); }

private:
  LangOptions Options = gnuC();
  StringRef Text;
  Lexer Raw;
};

bool isTag(StringRef Word) {
  return Word == "struct" || Word == "union" || Word == "enum";
}

/// Words that make a declaration with a body a function, never a record.
bool isInline(StringRef Word) {
  return Word == "inline" || Word == "__inline" || Word == "__inline__" ||
         Word == "__always_inline";
}

class Scanner {
public:
  explicit Scanner(StringRef Text) : Tokens(Text) {}

  HeaderScan scan() {
    while (!Tokens.atEnd())
      if (Tokens.atDirective())
        directive();
      else
        declaration();
    return std::move(Result);
  }

private:
  StringRef directive();
  void include();
  void define();
  void declaration();
  bool group(tok::TokenKind Open, tok::TokenKind Close);
  StringRef take() {
    StringRef Word = Tokens.spelling();
    Tokens.next();
    return Word;
  }
  bool sameLine() const {
    return !Tokens.atEnd() && !Tokens.At.isAtStartOfLine();
  }

  TokenStream Tokens;
  HeaderScan Result;
  std::vector<StringRef> Names; ///< of the declaration or macro at hand
  bool SawDirective = false;
};

/// Passes over one, and says which.
StringRef Scanner::directive() {
  SawDirective = true;
  Tokens.next();
  StringRef What = sameLine() && Tokens.atName() ? take() : "";
  if (What == "define" && sameLine() && Tokens.atName())
    define();
  else if (What == "include" && sameLine())
    include();
  while (sameLine())
    Tokens.next();
  return What;
}

void Scanner::include() {
  if (Tokens.At.is(tok::string_literal)) {
    StringRef Name = Tokens.spelling();
    Result.Includes.push_back({Name.drop_front().drop_back(), true});
  } else if (Tokens.At.is(tok::less)) {
    StringRef Rest = Tokens.rest();
    StringRef Name =
        Rest.take_until([](char C) { return C == '>' || C == '\n'; });
    Result.Includes.push_back({Name, false});
  }
}

void Scanner::define() {
  ScannedMacro Macro;
  Macro.Name = take();
  for (StringRef Last; sameLine(); Tokens.next()) {
    if (Tokens.At.is(tok::hashhash) && !Last.empty())
      Macro.Prefixes.push_back(Last);
    Last = Tokens.atName() ? Tokens.spelling() : "";
    if (!Last.empty())
      Macro.Uses.push_back(Last);
  }
  sortUnique(Macro.Uses);
  Result.Macros.push_back(std::move(Macro));
}

/// Passes over a bracketed group, at its opening token; false at the end of
/// the text. All branches of a condition may open or close the same block: each
/// counts from where the condition began, and the one that leads deepest stays.
bool Scanner::group(tok::TokenKind Open, tok::TokenKind Close) {
  struct Condition {
    unsigned Begin, Deepest;
    bool Branches;
  };
  llvm::SmallVector<Condition, 4> Conditions;
  unsigned Depth = 0;
  while (!Tokens.atEnd()) {
    if (Tokens.atDirective()) {
      const StringRef What = directive();
      if (What.starts_with("if")) {
        Conditions.push_back({Depth, 0, false});
      } else if (What.starts_with("el")) {
        // Of one around the group: this branch opens it anew.
        if (Conditions.empty())
          Conditions.push_back({0, Depth, true});
        Condition &In = Conditions.back();
        In.Deepest = std::max(In.Deepest, Depth);
        In.Branches = true;
        Depth = In.Begin;
      } else if (What == "endif" && !Conditions.empty()) {
        const Condition In = Conditions.pop_back_val();
        Depth = In.Branches ? std::max(In.Deepest, Depth) : Depth;
      }
      continue;
    }
    if (Tokens.atName())
      Names.push_back(Tokens.spelling());
    Depth += Tokens.At.is(Open);
    if (Tokens.At.is(Close) && Depth && --Depth == 0)
      return true; // at the closing token
    Tokens.next();
  }
  return false;
}

void Scanner::declaration() {
  ScannedBody Body;
  Body.Start = Tokens.Begin;
  SawDirective = false;
  Names.clear();
  bool Inline = false, Assigned = false;
  StringRef First = Tokens.spelling(), Last, Previous;
  for (; !Tokens.atEnd(); Tokens.next()) {
    while (Tokens.atDirective())
      directive();
    if (Tokens.At.is(tok::semi))
      break;
    if (Tokens.At.is(tok::l_paren)) {
      if (!Last.empty() && Last != "__attribute__")
        Body.Names.push_back(Last);
      Last = Previous = "";
      if (!group(tok::l_paren, tok::r_paren))
        break;
    } else if (Tokens.At.is(tok::l_brace)) {
      Body.Begin = Tokens.Begin;
      std::vector<StringRef> Head = std::exchange(Names, {});
      bool Closed = group(tok::l_brace, tok::r_brace);
      Body.End = Tokens.End;
      std::swap(Head, Names);
      if (!Closed)
        break;
      // `struct {`, `struct name {`, or an initialiser: no function yet.
      bool Tagged = isTag(Last) || isTag(Previous);
      Last = Previous = "";
      if (Tagged || Assigned || Body.Names.empty())
        continue;
      sortUnique(Head);
      Body.Removable =
          Inline && !SawDirective && !llvm::binary_search(Head, "extern");
      Body.Uses = std::move(Head);
      break;
    } else {
      Previous = Last;
      Last = Tokens.atName() ? Tokens.spelling() : "";
      Inline |= isInline(Last);
      Assigned |= Tokens.At.is(tok::equal);
      if (Tokens.atName())
        Names.push_back(Last);
    }
  }
  Tokens.next();
  if (!Body.Names.empty() && Body.Names[0] == First && Names.size() > 1) {
    ScannedCall Call{First, Names[1], Names};
    sortUnique(Call.Uses);
    Result.Calls.push_back(std::move(Call));
  }
  if (Body.End && !Body.Uses.empty())
    Result.Bodies.push_back(std::move(Body));
}

} // namespace

HeaderScan scanHeader(StringRef Text) { return Scanner(Text).scan(); }

std::vector<StringRef> identifiersIn(StringRef Text) {
  std::vector<StringRef> Names;
  for (TokenStream Tokens(Text); !Tokens.atEnd(); Tokens.next())
    if (Tokens.atName())
      Names.push_back(Tokens.spelling());
  sortUnique(Names);
  return Names;
}

} // namespace kst
