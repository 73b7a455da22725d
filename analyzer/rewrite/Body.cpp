// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/Body.h"

#include "analyzer/rewrite/BodyBounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <utility>

using namespace clang;

namespace kst {

namespace {

class BodyParser {
public:
  BodyParser(llvm::StringRef Text, const RecordInfo &Record)
      : Text(Text), Record(Record), Lines(Text) {}

  llvm::Expected<Body> parse() {
    if (llvm::Error E = locate())
      return E;
    for (At = 0; At < Tokens.size();)
      if (llvm::Error E = step())
        return E;
    if (Declaring)
      return refuse(Current.Line, "a declaration without ';'");
    if (!Open.empty())
      return refuse(Record.EndLine, "an #if of the body ends behind it");
    if (llvm::Error E = checkJoints(Result, Text, Lines))
      return E;
    return std::move(Result);
  }

private:
  llvm::StringRef text(const BodyToken &T) const {
    return Text.slice(T.Begin, T.End);
  }
  /// Of a line, as far as it lies between the braces.
  uint32_t beginOf(uint32_t Line) const {
    return std::max(Lines.begin(Line), Result.Begin);
  }
  uint32_t endOf(uint32_t Line) const {
    return std::min(Lines.end(Line), Result.End);
  }
  static bool isComment(const BodyToken &T) { return T.Kind == tok::comment; }
  static bool opens(llvm::StringRef Word) {
    return Word == "if" || Word == "ifdef" || Word == "ifndef";
  }
  bool directiveAt(size_t I) const {
    return Tokens[I].Kind == tok::hash && Tokens[I].LineStart;
  }
  /// One past the last token of the directive at I.
  size_t directiveEnd(size_t I) const {
    ++I;
    while (I < Tokens.size() && !Tokens[I].LineStart)
      ++I;
    return I;
  }

  llvm::Error locate();
  llvm::Error step();
  llvm::Error directive();
  llvm::Error nestedDirective(llvm::StringRef Word, size_t Last);
  void noteForeign(size_t Hash, size_t Last);
  llvm::Error condition(llvm::StringRef Word, size_t Last);
  void comment();
  llvm::Error declaration();
  bool macroLine(size_t &Last) const;
  bool accessLabel();
  bool endsFunction() const;
  void noteEmptyBranch(uint32_t Offset);
  Piece &add(PieceKind Kind, uint32_t First, uint32_t Last);
  std::vector<BranchRef> path() const;

  llvm::StringRef Text;
  const RecordInfo &Record;
  LineMap Lines;
  std::vector<RawToken> Tokens; ///< of the body
  size_t At = 0;
  Body Result;

  struct OpenBlock {
    BranchRef Where;
    size_t PiecesBefore;
  };
  std::vector<OpenBlock> Open;

  bool Declaring = false;
  Piece Current;
  int Depth = 0;
  std::vector<int> Nested; ///< depth at each #if inside the declaration
};

/// Finds the braces; leaves the tokens between them in Tokens.
llvm::Error BodyParser::locate() {
  if (Record.Line == 0 || Record.EndLine < Record.Line ||
      Lines.begin(Record.EndLine) >= Text.size())
    return refuse(Record.Line, "the text has no such line");
  const std::vector<RawToken> All =
      lexRaw(Text, Lines.begin(Record.Line), Text.size());
  llvm::Expected<BodyBraces> Braces = findBraces(All, Text, Lines, Record);
  if (!Braces)
    return Braces.takeError();
  const auto [Open, Close] = *Braces;
  // Comments behind the '{' stay there unless a member follows on their line.
  size_t First = Open + 1;
  uint32_t FirstLine = Lines.line(All[Open].Begin) + 1;
  while (First != Close && isComment(All[First]) &&
         Lines.line(All[First].Begin) < FirstLine) {
    FirstLine = std::max(FirstLine, Lines.line(All[First].End - 1) + 1);
    ++First;
  }
  Result.Begin = Lines.begin(FirstLine);
  if (First != Close && Lines.line(All[First].Begin) < FirstLine) {
    First = Open + 1;
    Result.Begin = All[Open].End;
  }
  Result.End = Lines.begin(Record.EndLine);
  if (First != Close && Lines.line(All[Close - 1].End - 1) == Record.EndLine)
    Result.End = All[Close].Begin;
  if (Result.End < Result.Begin) // nothing inside
    Result.Begin = Result.End;
  Tokens.assign(All.begin() + First, All.begin() + Close);
  return llvm::Error::success();
}

std::vector<BranchRef> BodyParser::path() const {
  std::vector<BranchRef> Path;
  for (const OpenBlock &Block : Open)
    Path.push_back(Block.Where);
  return Path;
}

/// A piece of the lines from that of offset First to that of offset Last.
Piece &BodyParser::add(PieceKind Kind, uint32_t First, uint32_t Last) {
  Piece P;
  P.Kind = Kind;
  P.Line = Lines.line(First);
  P.EndLine = Lines.line(Last);
  P.Begin = beginOf(P.Line);
  P.End = endOf(P.EndLine);
  P.Path = path();
  Result.Pieces.push_back(std::move(P));
  return Result.Pieces.back();
}

llvm::Error BodyParser::step() {
  if (directiveAt(At))
    return directive();
  if (isComment(Tokens[At])) {
    comment();
    return llvm::Error::success();
  }
  return declaration();
}

void BodyParser::comment() {
  const RawToken &T = Tokens[At++];
  if (Declaring)
    return;
  if (!Result.Pieces.empty()) {
    Piece &Before = Result.Pieces.back();
    bool Code =
        Before.Kind == PieceKind::Member || Before.Kind == PieceKind::Macro;
    if (Before.EndLine == Lines.line(T.Begin) &&
        (Code || Before.Kind == PieceKind::Comment)) {
      Before.EndLine = Lines.line(T.End - 1);
      Before.End = endOf(Before.EndLine);
      return;
    }
  }
  add(PieceKind::Comment, T.Begin, T.End - 1);
}

llvm::Error BodyParser::directive() {
  size_t Last = directiveEnd(At);
  llvm::StringRef Word;
  if (At + 1 != Last)
    Word = text(Tokens[At + 1]);
  if (text(Tokens[At]) != "#")
    return refuse(Lines.line(Tokens[At].Begin),
                  "a directive that does not begin with '#'");
  if (Declaring)
    return nestedDirective(Word, Last);
  if (!Result.Pieces.empty() &&
      Result.Pieces.back().EndLine >= Lines.line(Tokens[At].Begin) &&
      Result.Pieces.back().Kind != PieceKind::Nothing)
    return refuse(Lines.line(Tokens[At].Begin),
                  "a comment before the '#' of a directive");
  if (opens(Word) ||
      llvm::is_contained({"elif", "elifdef", "elifndef", "else", "endif"},
                         Word))
    return condition(Word, Last);
  noteForeign(At, Last);
  Piece &P =
      add(PieceKind::Directive, Tokens[At].Begin, Tokens[Last - 1].End - 1);
  for (size_t I = At; I != Last; ++I)
    if (!isComment(Tokens[I]))
      P.Tokens.push_back(Tokens[I]);
  At = Last;
  return llvm::Error::success();
}

/// A directive inside a declaration: the whole declaration must agree.
llvm::Error BodyParser::nestedDirective(llvm::StringRef Word, size_t Last) {
  const size_t Hash = std::exchange(At, Last);
  const uint32_t Line = Lines.line(Tokens[Hash].Begin);
  if (opens(Word)) {
    Nested.push_back(Depth);
    return llvm::Error::success();
  }
  if (Word.starts_with("el") || Word == "endif") {
    if (Nested.empty() || Nested.back() != Depth)
      return refuse(Line, "#" + Word + " cuts through a declaration");
    if (Word == "endif")
      Nested.pop_back();
    return llvm::Error::success();
  }
  noteForeign(Hash, Last);
  return llvm::Error::success();
}

/// Remembers the first directive that forbids every edit: one that brings other
/// text or changes how what follows is laid out, and a #pragma that would move
/// with the declaration that it is in.
void BodyParser::noteForeign(size_t Hash, size_t Last) {
  llvm::StringRef Word, Name;
  if (Hash + 1 < Last)
    Word = text(Tokens[Hash + 1]);
  if (Hash + 2 < Last)
    Name = text(Tokens[Hash + 2]);
  if (llvm::is_contained(
          {"", "define", "undef", "error", "warning", "ident", "sccs"}, Word))
    return;
  const bool AnyOrder =
      !llvm::is_contained({"pack", "options", "align", "ms_struct",
                           "scalar_storage_order", "clang"},
                          Name) ||
      (Name == "clang" && Hash + 3 < Last &&
       text(Tokens[Hash + 3]) == "diagnostic");
  if ((Word == "pragma" && AnyOrder && !Declaring) || Result.ForeignLine)
    return;
  Result.ForeignLine = Lines.line(Tokens[Hash].Begin);
  Result.Foreign =
      ("#" + Word + (Word == "pragma" ? " " + Name : "") + " among the members")
          .str();
}

void BodyParser::noteEmptyBranch(uint32_t Offset) {
  if (Open.back().PiecesBefore != Result.Pieces.size())
    return;
  Piece &P = add(PieceKind::Nothing, Offset, Offset);
  P.Begin = P.End = Lines.begin(P.Line);
}

llvm::Error BodyParser::condition(llvm::StringRef Word, size_t Last) {
  uint32_t Begin = Tokens[At].Begin, End = Tokens[Last - 1].End;
  uint32_t Line = Lines.line(Begin);
  if (!opens(Word) && Open.empty())
    return refuse(Line, "#" + Word + " of an #if before the body");
  std::string Whole =
      Text.slice(Lines.begin(Line), Lines.end(Lines.line(End - 1)))
          .rtrim("\r\n")
          .str();
  std::string Expr;
  for (size_t I = At + 2; I < Last; ++I) {
    if (isComment(Tokens[I]))
      continue;
    if (!Expr.empty() && Tokens[I].Begin != Tokens[I - 1].End)
      Expr += ' ';
    Expr += text(Tokens[I]);
  }
  At = Last;
  if (opens(Word)) {
    uint32_t Index = Result.Blocks.size();
    Result.Blocks.emplace_back();
    CondBlock &New = Result.Blocks.back();
    New.Branches.push_back({Word.str(), Expr, Whole});
    New.Line = Line;
    New.Begin = Lines.begin(Line);
    Open.push_back({{Index, 0}, Result.Pieces.size()});
    return llvm::Error::success();
  }
  noteEmptyBranch(Begin);
  CondBlock &Block = Result.Blocks[Open.back().Where.Block];
  if (Word == "endif") {
    Block.Endif = Whole;
    Block.EndLine = Lines.line(End - 1);
    Block.End = Lines.end(Block.EndLine);
    Open.pop_back();
    return llvm::Error::success();
  }
  if (Block.Branches.back().Word == "else")
    return refuse(Line, "#" + Word + " after #else");
  Block.Branches.push_back({Word.str(), Expr, Whole});
  ++Open.back().Where.Branch;
  Open.back().PiecesBefore = Result.Pieces.size();
  return llvm::Error::success();
}

/// `NAME` or `NAME(...)` alone on its lines, and what follows begins anew.
bool BodyParser::macroLine(size_t &Last) const {
  const RawToken &Name = Tokens[At];
  if (Name.Kind != tok::raw_identifier || isTypeWord(text(Name)))
    return false;
  size_t I = At + 1;
  if (I < Tokens.size() && Tokens[I].Kind == tok::l_paren) {
    int Parens = 0;
    for (; I < Tokens.size(); ++I) {
      if (directiveAt(I))
        return false;
      Parens += Tokens[I].Kind == tok::l_paren;
      Parens -= Tokens[I].Kind == tok::r_paren;
      if (Parens == 0)
        break;
    }
    if (I == Tokens.size())
      return false;
    ++I;
  }
  Last = I;
  uint32_t EndLine = Lines.line(Tokens[I - 1].End - 1);
  while (I < Tokens.size() && isComment(Tokens[I]))
    ++I;
  if (I == Tokens.size() || directiveAt(I))
    return true;
  const RawToken &Next = Tokens[I];
  if (Next.Kind != tok::raw_identifier || Lines.line(Next.Begin) <= EndLine)
    return false;
  auto Column = [&](const RawToken &T) {
    return columnOf(Text, Lines.begin(Lines.line(T.Begin)), T.Begin);
  };
  return Column(Next) <= Column(Name);
}

/// `public:` and its like of C++. A line of its own, which nothing crosses.
bool BodyParser::accessLabel() {
  if (At + 1 >= Tokens.size() || Tokens[At + 1].Kind != tok::colon ||
      !llvm::is_contained({"public", "protected", "private"}, text(Tokens[At])))
    return false;
  const uint32_t Line = Lines.line(Tokens[At].Begin);
  const bool Shared =
      !Result.Pieces.empty() && Result.Pieces.back().EndLine >= Line;
  const bool Followed = At + 2 < Tokens.size() && !isComment(Tokens[At + 2]) &&
                        Lines.line(Tokens[At + 2].Begin) == Line;
  if (Shared || Followed)
    return false;
  Piece &P = add(PieceKind::Macro, Tokens[At].Begin, Tokens[At + 1].End - 1);
  P.Tokens = {Tokens[At], Tokens[At + 1]};
  At += 2;
  return true;
}

/// Whether the brace that was just closed ends the body of a C++ function,
/// which no ';' follows.
bool BodyParser::endsFunction() const {
  bool Params = false;
  for (size_t I = 0; I != Current.Tokens.size(); ++I) {
    const tok::TokenKind Kind = Current.Tokens[I].Kind;
    if (!Params && Kind == tok::raw_identifier &&
        llvm::is_contained({"struct", "union", "class", "enum"},
                           text(Current.Tokens[I])))
      return false;
    if (Kind == tok::l_brace)
      break;
    Params |= Kind == tok::l_paren;
  }
  size_t Next = At;
  while (Next < Tokens.size() && isComment(Tokens[Next]))
    ++Next;
  return Params &&
         (Next == Tokens.size() ||
          !llvm::is_contained({tok::semi, tok::comma, tok::l_brace, tok::equal,
                               tok::l_paren, tok::l_square},
                              Tokens[Next].Kind));
}

llvm::Error BodyParser::declaration() {
  if (!Declaring && accessLabel())
    return llvm::Error::success();
  if (!Declaring) {
    uint32_t Line = Lines.line(Tokens[At].Begin);
    size_t Last = 0;
    bool SameLine = !Result.Pieces.empty() &&
                    Result.Pieces.back().EndLine == Line &&
                    Result.Pieces.back().Kind != PieceKind::Nothing;
    if (!SameLine && macroLine(Last)) {
      Piece &P =
          add(PieceKind::Macro, Tokens[At].Begin, Tokens[Last - 1].End - 1);
      for (; At != Last; ++At)
        if (!isComment(Tokens[At]))
          P.Tokens.push_back(Tokens[At]);
      return llvm::Error::success();
    }
    Declaring = true;
    Depth = 0;
    Nested.clear();
    if (SameLine) {
      Current = std::move(Result.Pieces.back());
      Result.Pieces.pop_back();
      Current.SeveralDeclarations |= Current.Kind != PieceKind::Comment;
    } else {
      Current = Piece();
      Current.Line = Line;
      Current.Begin = beginOf(Line);
      Current.Path = path();
    }
    Current.Kind = PieceKind::Member;
  }
  const RawToken &T = Tokens[At++];
  Current.Tokens.push_back(T);
  switch (T.Kind) {
  case tok::l_paren:
  case tok::l_square:
  case tok::l_brace:
    ++Depth;
    break;
  case tok::r_paren:
  case tok::r_square:
  case tok::r_brace:
    if (--Depth < 0)
      return refuse(Lines.line(T.Begin), "brackets that do not match");
    break;
  default:
    break;
  }
  if (Current.Tokens.size() > 1 && !Depth && T.Kind == tok::colon &&
      llvm::is_contained({"public", "protected", "private"},
                         text(Current.Tokens[Current.Tokens.size() - 2])))
    return refuse(Lines.line(T.Begin),
                  "an access specifier beside a declaration");
  const bool Function = T.Kind == tok::r_brace && !Depth && endsFunction();
  if ((T.Kind != tok::semi && !Function) || Depth)
    return llvm::Error::success();
  if (!Nested.empty())
    // `int a #ifdef X ; #else [4]; #endif`: the end depends on the condition.
    return refuse(Lines.line(T.Begin), "';' inside an #if of a declaration");
  Current.EndLine = Lines.line(T.Begin);
  Current.End = endOf(Current.EndLine);
  Result.Pieces.push_back(std::move(Current));
  Declaring = false;
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Body> parseBody(llvm::StringRef Text, const RecordInfo &Record) {
  return BodyParser(Text, Record).parse();
}

} // namespace kst
