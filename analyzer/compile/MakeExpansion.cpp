// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of Makefile that expands $(...).

#include "analyzer/compile/MakeFunctions.h"
#include "analyzer/compile/Makefile.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace kst {
namespace {

constexpr unsigned MaxDepth = 100;
/// Far above what any statement of the kernel's makefiles makes (64 KiB).
constexpr size_t MaxWork = 4u << 20;

/// Index of the bracket that closes the one at Text[0]; 0 for `$x`.
size_t closing(StringRef Text) {
  if (Text[0] != '(' && Text[0] != '{')
    return 0;
  const char Open = Text[0], Close = Open == '(' ? ')' : '}';
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == Open)
      ++Depth;
    else if (Text[I] == Close && --Depth == 0)
      return I;
  }
  return Text.size();
}

/// Splits at commas outside of brackets, into at most Most parts.
std::vector<StringRef> arguments(StringRef Text, unsigned Most) {
  std::vector<StringRef> Out;
  int Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I < Text.size() && Out.size() + 1 < Most; ++I) {
    if (Text[I] == '(' || Text[I] == '{')
      ++Depth;
    else if (Text[I] == ')' || Text[I] == '}')
      --Depth;
    else if (Text[I] == ',' && Depth == 0) {
      Out.push_back(Text.slice(Begin, I));
      Begin = I + 1;
    }
  }
  Out.push_back(Text.drop_front(Begin));
  return Out;
}

bool isTrue(StringRef Text) { return !Text.trim().empty(); }

} // namespace

const Makefile::Variable *Makefile::lookUp(StringRef Name) const {
  for (const Makefile *Here = this; Here; Here = Here->Outer)
    if (auto Found = Here->Vars.find(Name); Found != Here->Vars.end())
      return &Found->second;
  return nullptr;
}

void Makefile::set(StringRef Name, StringRef Value) {
  Vars[Name] = {Value.str(), true};
}

std::string Makefile::value(StringRef Name) {
  Work = 0;
  return variable(Name);
}

std::string Makefile::variable(StringRef Name) {
  size_t Argument = 0;
  if (!Calls.empty() && !Name.empty() && !Name.getAsInteger(10, Argument))
    return Argument < Calls.back().size() ? Calls.back()[Argument] : "";
  const Variable *Found = lookUp(Name);
  if (!Found)
    return "";
  if (Found->Simple)
    return Found->Text;
  unsigned &Uses = Active[Name];
  if (Uses && Calls.empty())
    return ""; // it names itself
  ++Uses;
  const std::string Text = Found->Text;
  std::string Value = expand(Text);
  --Active[Name];
  return Value;
}

std::string Makefile::expand(StringRef Text) {
  std::string Out;
  if (Depth > MaxDepth)
    return Out;
  ++Depth;
  while (!Text.empty() && Work < MaxWork) {
    size_t Dollar = Text.find('$');
    Out += Text.take_front(Dollar).str();
    if (Dollar == StringRef::npos || Dollar + 1 == Text.size())
      break;
    Text = Text.drop_front(Dollar + 1);
    if (Text[0] == '$') {
      Out += '$';
      Text = Text.drop_front();
      continue;
    }
    size_t End = closing(Text);
    std::string Value =
        End ? reference(Text.slice(1, End)) : variable(Text.take_front());
    Work += Value.size() + 1;
    Out += Value;
    Text = Text.drop_front(std::min(End + 1, Text.size()));
  }
  --Depth;
  return Out;
}

std::vector<std::string> Makefile::expandAll(ArrayRef<StringRef> Args) {
  std::vector<std::string> Out;
  for (StringRef Arg : Args)
    Out.push_back(expand(Arg));
  return Out;
}

/// The inside of $(...).
std::string Makefile::reference(StringRef Inside) {
  size_t Blank = Inside.find_first_of(" \t");
  if (Blank != StringRef::npos) {
    StringRef Name = Inside.take_front(Blank);
    StringRef Rest = Inside.drop_front(Blank).ltrim();
    if (std::optional<unsigned> Arity = wordFunctionArity(Name))
      return wordFunction(Name, expandAll(arguments(Rest, *Arity)));
    if (std::optional<std::string> Value = special(Name, Rest))
      return *Value;
  }
  int Nested = 0;
  for (size_t I = 0; I < Inside.size(); ++I) {
    Nested += (Inside[I] == '(' || Inside[I] == '{') -
              (Inside[I] == ')' || Inside[I] == '}');
    if (Inside[I] == ':' && Nested == 0 && Inside.find('=', I) != Inside.npos)
      return substitution(Inside, I);
  }
  return variable(expand(Inside));
}

/// $(NAME:FROM=TO), with or without `%`.
std::string Makefile::substitution(StringRef Inside, size_t Colon) {
  auto [From, To] = Inside.drop_front(Colon + 1).split('=');
  std::string Value = variable(expand(Inside.take_front(Colon)));
  std::string Pattern = expand(From), Replacement = expand(To);
  if (!StringRef(Pattern).contains('%')) {
    Pattern.insert(0, "%");
    Replacement.insert(0, "%");
  }
  return patsubst(Pattern, Replacement, Value);
}

/// The functions that expand their arguments by rules of their own.
std::optional<std::string> Makefile::special(StringRef Name, StringRef Rest) {
  constexpr unsigned Any = ~0u;
  if (Name == "if") {
    auto Args = arguments(Rest, 3);
    if (isTrue(expand(Args[0].trim())))
      return Args.size() > 1 ? expand(Args[1]) : "";
    return Args.size() > 2 ? expand(Args[2]) : "";
  }
  if (Name == "or") {
    for (StringRef Arg : arguments(Rest, Any))
      if (std::string Value = expand(Arg.trim()); isTrue(Value))
        return Value;
    return "";
  }
  if (Name == "and") {
    std::string Last;
    for (StringRef Arg : arguments(Rest, Any))
      if (Last = expand(Arg.trim()); !isTrue(Last))
        return "";
    return Last;
  }
  if (Name == "foreach")
    return forEach(arguments(Rest, 3));
  if (Name == "call")
    return call(arguments(Rest, Any));
  if (Name == "value") {
    const Variable *Found = lookUp(expand(Rest));
    return Found ? Found->Text : "";
  }
  if (Name == "eval") {
    std::string Text = expand(Rest);
    if (++Depth < MaxDepth && Work < MaxWork)
      read(Text);
    --Depth;
    return "";
  }
  if (Name == "origin" || Name == "flavor") {
    const Variable *Found = lookUp(expand(Rest));
    if (Name == "origin")
      return Found ? "file" : "undefined";
    return !Found ? "undefined" : Found->Simple ? "simple" : "recursive";
  }
  if (Name == "realpath" || Name == "abspath") { // nobody asks for links
    std::vector<std::string> Paths;
    const std::string Names = expand(Rest);
    for (StringRef Path : makeWords(Names))
      Paths.push_back(absolutePath("", Path));
    return llvm::join(Paths, " ");
  }
  if (Name == "wildcard") {
    std::vector<std::string> Found;
    const std::string Patterns = expand(Rest);
    if (Host.Match)
      for (StringRef Pattern : makeWords(Patterns))
        append_range(Found, Host.Match(Pattern));
    return llvm::join(Found, " ");
  }
  if (Name == "shell" || Name == "error" || Name == "warning" ||
      Name == "info" || Name == "file" || Name == "guile")
    return "";
  return std::nullopt;
}

std::string Makefile::forEach(ArrayRef<StringRef> Args) {
  if (Args.size() < 3)
    return "";
  const std::string Name = StringRef(expand(Args[0])).trim().str();
  const std::string List = expand(Args[1]);
  auto Found = Vars.find(Name);
  std::optional<Variable> Before;
  if (Found != Vars.end())
    Before = Found->second;
  std::string Out;
  bool First = true;
  for (StringRef Word : makeWords(List)) {
    set(Name, Word);
    Out += (First ? "" : " ") + expand(Args[2]);
    First = false;
  }
  if (Before)
    Vars[Name] = *Before;
  else
    Vars.erase(Name);
  return Out;
}

std::string Makefile::call(ArrayRef<StringRef> Args) {
  std::vector<std::string> Values = expandAll(Args);
  Values[0] = StringRef(Values[0]).trim().str();
  const StringRef Name = Values[0];
  if (Host.Call)
    if (auto Answer = Host.Call(Name, ArrayRef(Values).drop_front()))
      return *Answer;
  if (wordFunctionArity(Name))
    return wordFunction(Name, ArrayRef(Values).drop_front());
  const Variable *Found = lookUp(Name);
  if (!Found)
    return "";
  const std::string Text = Found->Text;
  Calls.push_back(std::move(Values));
  std::string Out = expand(Text);
  Calls.pop_back();
  return Out;
}

} // namespace kst
