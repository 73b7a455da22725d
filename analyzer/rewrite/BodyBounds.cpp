// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/BodyBounds.h"
#include "hybrid/core/RecordSpelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace clang;

namespace kst {

namespace {

class BraceFinder {
public:
  BraceFinder(llvm::ArrayRef<RawToken> All, llvm::StringRef Text,
              const LineMap &Lines, const RecordInfo &Record)
      : All(All), Text(Text), Lines(Lines), Record(Record) {}

  llvm::Expected<size_t> openingBrace() const;
  size_t closingBrace(size_t I) const;

private:
  size_t braceAfter(size_t I) const;
  size_t directiveEnd(size_t I) const {
    while (I + 1 < All.size() && !All[I + 1].LineStart)
      ++I;
    return I;
  }
  llvm::StringRef text(const BodyToken &T) const {
    return Text.slice(T.Begin, T.End);
  }

  llvm::ArrayRef<RawToken> All;
  llvm::StringRef Text;
  const LineMap &Lines;
  const RecordInfo &Record;
};

/// The '{' to which the tokens from I on lead in the head of a definition: past
/// attributes, macros and base classes. One past the last if to none.
size_t BraceFinder::braceAfter(size_t I) const {
  int Parens = 0;
  bool Bases = false;
  for (; I < All.size(); ++I) {
    if (All[I].Kind == tok::hash && All[I].LineStart) {
      I = directiveEnd(I);
      continue;
    }
    Parens += All[I].Kind == tok::l_paren;
    Parens -= All[I].Kind == tok::r_paren;
    Bases |= All[I].Kind == tok::colon;
    if (All[I].Kind == tok::l_brace && Parens == 0)
      return I;
    if (Parens < 0 || All[I].Kind == tok::semi || All[I].Kind == tok::equal ||
        (All[I].Kind == tok::star && Parens == 0 && !Bases))
      break;
  }
  return All.size();
}

/// The '{' of the definition, known by its name; of one without tag, by its
/// keyword.
llvm::Expected<size_t> BraceFinder::openingBrace() const {
  for (bool ByName : {true, false}) {
    llvm::SmallVector<size_t, 1> Found;
    for (size_t I = 0;
         I < All.size() && Lines.line(All[I].Begin) == Record.Line; ++I) {
      llvm::StringRef Word = text(All[I]);
      if (ByName ? Word != llvm::StringRef(lastNameOf(Record.Name))
                 : Word != "struct" && Word != "union" && Word != "class")
        continue;
      size_t Brace = braceAfter(I + 1);
      if (Brace != All.size() && !llvm::is_contained(Found, Brace))
        Found.push_back(Brace);
    }
    if (Found.size() == 1 || (ByName && !Found.empty()))
      return Found.front();
    if (Found.size() > 1)
      return refuse(Record.Line, "several definitions begin on this line");
  }
  return refuse(Record.Line, "no definition of " + Record.Name +
                                 " here; a macro may make it");
}

/// The '}' that belongs to the '{' before I.
size_t BraceFinder::closingBrace(size_t I) const {
  for (int Braces = 1; I < All.size(); ++I) {
    if (All[I].Kind == tok::hash && All[I].LineStart) {
      I = directiveEnd(I);
      continue;
    }
    Braces += All[I].Kind == tok::l_brace;
    Braces -= All[I].Kind == tok::r_brace;
    if (Braces == 0)
      break;
  }
  return I;
}

} // namespace

llvm::Error refuse(uint32_t Line, const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "line %u: %s",
                                 Line, Why.str().c_str());
}

llvm::Expected<BodyBraces> findBraces(llvm::ArrayRef<RawToken> Tokens,
                                      llvm::StringRef Text,
                                      const LineMap &Lines,
                                      const RecordInfo &Record) {
  const BraceFinder Finder(Tokens, Text, Lines, Record);
  llvm::Expected<size_t> Open = Finder.openingBrace();
  if (!Open)
    return Open.takeError();
  const size_t Close = Finder.closingBrace(*Open + 1);
  if (Close == Tokens.size() ||
      Lines.line(Tokens[Close].Begin) != Record.EndLine)
    return refuse(Record.Line, "the definition of " + Record.Name +
                                   " does not end where the compiler saw it "
                                   "end, at line " +
                                   llvm::Twine(Record.EndLine));
  return BodyBraces{*Open, Close};
}

llvm::Error checkJoints(const Body &Of, llvm::StringRef Text,
                        const LineMap &Lines) {
  auto Joins = [](llvm::StringRef Part) {
    return Part.rtrim().ends_with("\\");
  };
  auto Refuse = [](uint32_t Line) {
    return refuse(Line, "a backslash joins this line to what follows");
  };
  for (const Piece &P : Of.Pieces)
    if (Joins(Text.slice(P.Begin, P.End)))
      return Refuse(P.EndLine);
  for (const CondBlock &Block : Of.Blocks) {
    if (Joins(Block.Endif))
      return Refuse(Block.EndLine);
    for (const CondBranch &Branch : Block.Branches)
      if (Joins(Branch.Text))
        return Refuse(Block.Line);
  }
  uint32_t From = Of.Begin;
  for (size_t I = 0; I <= Of.Pieces.size(); ++I) {
    const bool Last = I == Of.Pieces.size();
    llvm::StringRef Gap = Text.slice(From, Last ? Of.End : Of.Pieces[I].Begin);
    for (llvm::StringRef Rest = Gap; !Rest.empty();) {
      auto [Line, More] = Rest.split('\n');
      const uint32_t At = Lines.line(Line.begin() - Text.begin());
      if (Line.trim() == "\\")
        return Refuse(At);
      if (Line.find_first_of("\f\v") != llvm::StringRef::npos)
        return refuse(At, "a form feed between the members");
      Rest = More;
    }
    if (!Last)
      From = Of.Pieces[I].End;
  }
  return llvm::Error::success();
}

} // namespace kst
