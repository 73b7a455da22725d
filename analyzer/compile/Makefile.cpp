// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/Makefile.h"

#include "analyzer/compile/MakeFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace kst {
namespace {

constexpr unsigned MaxIncludes = 32;

/// Index of the first of Wanted outside of $(...), or npos.
size_t topLevel(StringRef Text, StringRef Wanted) {
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '(' || Text[I] == '{')
      ++Depth;
    else if (Text[I] == ')' || Text[I] == '}')
      --Depth;
    else if (Depth <= 0 && Wanted.contains(Text[I]))
      return I;
  }
  return StringRef::npos;
}

/// The line without its comment; `\#` is a `#`.
std::string withoutComment(StringRef Line) {
  std::string Out;
  for (size_t I = 0; I < Line.size(); ++I) {
    if (Line[I] == '\\' && I + 1 < Line.size() && Line[I + 1] == '#')
      ++I;
    else if (Line[I] == '#')
      break;
    Out += Line[I];
  }
  return Out;
}

std::pair<StringRef, StringRef> firstWord(StringRef Text) {
  Text = Text.ltrim();
  size_t End = Text.find_first_of(" \t");
  return {Text.take_front(End),
          Text.drop_front(std::min(End, Text.size())).trim()};
}

/// Where the operator of an assignment ends (its `=`), or npos for a rule and
/// for what is neither.
size_t assignmentAt(StringRef Line) {
  size_t At = topLevel(Line, "=:");
  if (At == StringRef::npos)
    return At;
  size_t End = At;
  while (End < Line.size() && Line[End] == ':')
    ++End;
  return End < Line.size() && Line[End] == '=' ? End : StringRef::npos;
}

/// Drops the words that may stand before an assignment.
StringRef withoutModifiers(StringRef Line) {
  for (;;) {
    auto [Word, Rest] = firstWord(Line);
    if (Word != "export" && Word != "override" && Word != "private")
      return Line;
    Line = Rest;
  }
}

} // namespace

void Makefile::read(StringRef Text) {
  const size_t Open = Branches.size();
  std::string Line;
  while (!Text.empty()) {
    StringRef Part;
    std::tie(Part, Text) = Text.split('\n');
    Part.consume_back("\r");
    if (!Defining.empty()) {
      inDefinition(Part);
      continue;
    }
    bool More = Part.consume_back("\\") && !Text.empty();
    if (More)
      Part = Part.rtrim();
    if (Line.empty())
      Line = Part.str();
    else
      Line += " " + Part.ltrim().str();
    if (More)
      continue;
    if (Depth == 0) // not inside of $(eval)
      Work = 0;
    statement(Line);
    Line.clear();
  }
  if (!Defining.empty()) // its end is missing
    inDefinition("endef");
  Branches.resize(std::min(Branches.size(), Open));
}

bool Makefile::live() const {
  return all_of(Branches, [](const Branch &B) { return B.Taken; });
}

void Makefile::statement(StringRef Raw) {
  if (InRule && Raw.starts_with("\t"))
    return; // of a recipe
  const std::string Kept = withoutComment(Raw);
  StringRef Line = StringRef(Kept).ltrim();
  if (Line.empty() || conditional(Line) || !live())
    return;
  Line = withoutModifiers(Line);
  auto [Word, Rest] = firstWord(Line);
  if (Word == "include" || Word == "-include" || Word == "sinclude")
    return include(Rest);
  if (Word == "define") {
    InRule = false;
    auto [Name, Operator] = firstWord(Rest);
    Defining = expand(Name);
    DefiningAs = Operator.empty() ? "=" : Operator.str();
    DefinedText.clear();
    return;
  }
  if (Word == "undefine") {
    Vars[expand(Rest)] = Variable();
    return;
  }
  size_t At = assignmentAt(Line);
  if (At != StringRef::npos) {
    InRule = false;
    return assignment(Line, At);
  }
  if (Word == "unexport")
    return;
  InRule = topLevel(Line, ":") != StringRef::npos;
  if (!InRule)
    expand(Line); // for $(eval ...)
}

void Makefile::assignment(StringRef Line, size_t At) {
  StringRef Left = Line.take_front(At);
  StringRef Operator = "=";
  for (StringRef Known : {":::", "::", ":", "+", "?", "!"})
    if (Left.consume_back(Known)) {
      Operator = Known;
      break;
    }
  std::string Name = StringRef(expand(Left)).trim().str();
  if (!Name.empty() && !StringRef(Name).contains(' '))
    assign(Name, Operator, Line.drop_front(At + 1).ltrim());
}

void Makefile::assign(const std::string &Name, StringRef Operator,
                      StringRef Value) {
  const Variable *Old = lookUp(Name);
  if (Operator == "?") {
    if (!Old)
      Vars[Name] = {Value.str(), false};
  } else if (Operator == "+" && Old && (Old->Simple || !Old->Text.empty())) {
    Variable New = *Old;
    std::string More = New.Simple ? expand(Value) : Value.str();
    New.Text += (New.Text.empty() || More.empty() ? "" : " ") + More;
    Vars[Name] = std::move(New);
  } else if (Operator.starts_with(":"))
    Vars[Name] = {expand(Value), true};
  else if (Operator == "!")
    Vars[Name] = {"", true};
  else
    Vars[Name] = {Value.str(), false};
}

void Makefile::inDefinition(StringRef Line) {
  auto [Word, Rest] = firstWord(Line);
  if (Word != "endef") {
    DefinedText += (DefinedText.empty() ? "" : "\n") + Line.str();
    return;
  }
  std::string Name = std::move(Defining), Text = std::move(DefinedText);
  Defining.clear();
  StringRef Operator = StringRef(DefiningAs).rtrim('=');
  if (!Name.empty())
    assign(Name, Operator.empty() ? "=" : Operator, Text);
}

void Makefile::include(StringRef Files) {
  if (!Host.Read || Included >= MaxIncludes)
    return;
  const std::string Names = expand(Files);
  for (StringRef File : makeWords(Names))
    if (std::optional<std::string> Text = Host.Read(File)) {
      ++Included;
      read(*Text);
      --Included;
    }
}

// Conditionals.

bool Makefile::conditional(StringRef Line) {
  auto [Word, Rest] = firstWord(Line);
  if (Word == "endif") {
    if (!Branches.empty())
      Branches.pop_back();
    return true;
  }
  if (Word == "else") {
    otherwise(Rest);
    return true;
  }
  if (size_t Paren = Word.find('('); Paren != StringRef::npos) {
    Rest = Line.drop_front(Paren); // ifeq(a,b)
    Word = Word.take_front(Paren);
  }
  if (Word != "ifdef" && Word != "ifndef" && Word != "ifeq" && Word != "ifneq")
    return false;
  bool Taken = live() && condition(Word, Rest);
  Branches.push_back({Taken, Taken});
  return true;
}

void Makefile::otherwise(StringRef Rest) {
  if (Branches.empty())
    return;
  Branch Outer = Branches.back();
  Branches.pop_back();
  bool Taken = !Outer.Done;
  if (Taken && !Rest.empty()) { // else ifeq (...)
    auto [Word, Condition] = firstWord(Rest);
    Taken = live() && condition(Word, Condition);
  }
  Branches.push_back({Taken, Outer.Done || Taken});
}

bool Makefile::condition(StringRef Word, StringRef Rest) {
  if (Word == "ifdef" || Word == "ifndef") {
    const Variable *Found = lookUp(StringRef(expand(Rest)).trim());
    return (Found && !Found->Text.empty()) == (Word == "ifdef");
  }
  StringRef Left, Right;
  if (Rest.consume_front("(")) {
    Rest = Rest.rtrim();
    Rest.consume_back(")");
    size_t Comma = topLevel(Rest, ",");
    Left = Rest.take_front(Comma);
    Right = Comma == StringRef::npos ? "" : Rest.drop_front(Comma + 1);
  } else if (!Rest.empty()) {
    char Quote = Rest[0];
    std::tie(Left, Right) = Rest.drop_front().split(Quote);
    Right = Right.trim();
    Right = Right.drop_front(!Right.empty()).drop_back(Right.size() > 1);
  }
  return (StringRef(expand(Left)).trim() == StringRef(expand(Right)).trim()) ==
         (Word == "ifeq");
}

} // namespace kst
