// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/StructScan.h"

#include "hybrid/core/RecordSpelling.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kst {
namespace {

bool isWord(char C) { return isAlnum(C) || C == '_'; }

/// End of the comment or literal that starts at At, or At when none does.
size_t skipOpaque(StringRef Text, size_t At) {
  StringRef Rest = Text.drop_front(At);
  if (Rest.starts_with("/*")) {
    size_t End = Text.find("*/", At + 2);
    return End == StringRef::npos ? Text.size() : End + 2;
  }
  if (Rest.starts_with("//")) {
    size_t End = Text.find('\n', At);
    return End == StringRef::npos ? Text.size() : End;
  }
  if (Rest.empty() || (Rest[0] != '"' && Rest[0] != '\''))
    return At;
  size_t End = At + 1;
  while (End < Text.size() && Text[End] != Rest[0] && Text[End] != '\n')
    End += Text[End] == '\\' ? 2 : 1;
  return std::min(End + 1, Text.size());
}

/// Past white space, comments and line continuations.
size_t skipBlank(StringRef Text, size_t At) {
  while (At < Text.size()) {
    size_t Next = At;
    if (isSpace(Text[At]) || Text[At] == '\\')
      ++Next;
    else if (Text[At] == '/')
      Next = skipOpaque(Text, At);
    if (Next == At)
      break;
    At = Next;
  }
  return At;
}

/// True when position At is code, by reading Text from its start. An
/// apostrophe in assembly or #error text ends with its line.
bool isCode(StringRef Text, size_t At) {
  size_t Now = 0;
  while (true) {
    Now = Text.find_first_of("/\"'", Now);
    if (Now == StringRef::npos || Now >= At)
      return true;
    size_t Next = skipOpaque(Text, Now);
    if (Next > At)
      return false;
    Now = Next == Now ? Now + 1 : Next;
  }
}

/// The token before At, skipping white space and comments; an identifier as a
/// whole, else one character. Moves At to the token's start.
StringRef previousToken(StringRef Text, size_t &At) {
  while (At > 0) {
    if (isSpace(Text[At - 1]) || Text[At - 1] == '\\')
      --At;
    else if (Text.take_front(At).ends_with("*/")) {
      size_t Open = Text.take_front(At - 2).rfind("/*");
      if (Open == StringRef::npos)
        break;
      At = Open;
    } else
      break;
  }
  size_t End = At;
  while (At > 0 && isWord(Text[At - 1]))
    --At;
  if (At == End && At > 0)
    --At;
  return Text.slice(At, End);
}

bool isRecordKeyword(StringRef Token) {
  return Token == "struct" || Token == "union" || Token == "class";
}

/// Walks back over attributes (`__packed`, `__attribute__((x))`) from a tag to
/// its keyword or closing brace. Attributes are words that begin with `_`,
/// with their parenthesised arguments. A few tokens only.
StringRef leader(StringRef Text, size_t At) {
  int Depth = 0;
  for (int Tokens = 0; Tokens < 24; ++Tokens) {
    StringRef Token = previousToken(Text, At);
    if (Token == ")")
      ++Depth;
    else if (Token == "(")
      --Depth;
    else if (Depth == 0 && !Token.starts_with("_"))
      return Token;
    if (Token.empty() || Depth < 0)
      break;
  }
  return "";
}

/// The tag argument of struct_group_tagged(TAG, ...), __struct_group(TAG, ...).
bool isGroupTag(StringRef Text, size_t At) {
  if (previousToken(Text, At) != "(")
    return false;
  StringRef Macro = previousToken(Text, At);
  return Macro == "struct_group_tagged" || Macro == "__struct_group";
}

bool isDefinition(StringRef Text, size_t Begin, size_t End) {
  size_t After = skipBlank(Text, End);
  char Next = After < Text.size() ? Text[After] : '\0';
  // `class s final : base {`
  if (StringRef Rest = Text.substr(After); Rest.consume_front("final"))
    Next = Rest.ltrim().empty() ? '\0' : Rest.ltrim()[0];
  if (Next == '{' || (Next == ':' && !Text.substr(After).starts_with("::")))
    return isRecordKeyword(leader(Text, Begin));
  if (Next == ';')
    return leader(Text, Begin) == "}";
  return Next == ',' && isGroupTag(Text, Begin);
}

} // namespace

static bool isWholeWord(StringRef Text, size_t At, size_t Length) {
  return (At == 0 || !isWord(Text[At - 1])) &&
         (At + Length == Text.size() || !isWord(Text[At + Length]));
}

bool definesStruct(StringRef Text, StringRef Qualified) {
  const StringRef Name = lastNameOf(Qualified);
  if (Name.empty())
    return false;
  for (size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1)) {
    size_t End = At + Name.size();
    if (isWholeWord(Text, At, Name.size()) && isDefinition(Text, At, End) &&
        isCode(Text, At))
      return true;
  }
  return false;
}

namespace {

/// The parameters of the macro in whose definition the position is.
SmallVector<StringRef, 4> parametersAround(StringRef Text, size_t At) {
  size_t Line = Text.rfind('\n', At) + 1;
  while (Line > 1 && Text.take_front(Line - 1).rtrim('\r').ends_with("\\"))
    Line = Text.rfind('\n', Line - 2) + 1;
  StringRef Rest = Text.drop_front(Line).ltrim(" \t");
  SmallVector<StringRef, 4> Names;
  if (!Rest.consume_front("#") ||
      !(Rest = Rest.ltrim(" \t")).consume_front("define"))
    return Names;
  Rest = Rest.ltrim(" \t").drop_while(isWord);
  if (!Rest.consume_front("("))
    return Names;
  Rest.take_until([](char C) { return C == ')'; }).split(Names, ',');
  for (StringRef &Name : Names)
    Name = Name.trim(" \t\r\n\\");
  return Names;
}

/// What stands around the "##" at a position: `a##b##c`. Moves At behind it.
SmallVector<StringRef, 4> pastedWords(StringRef Text, size_t &At) {
  const StringRef Left = Text.take_front(At).rtrim(" \t");
  size_t Begin = Left.size();
  while (Begin && isWord(Left[Begin - 1]))
    --Begin;
  SmallVector<StringRef, 4> Words = {Left.drop_front(Begin)};
  while (Text.substr(At).starts_with("##")) {
    At += 2;
    At += Text.substr(At).size() - Text.substr(At).ltrim(" \t").size();
    Words.push_back(Text.substr(At).take_while(isWord));
    At += Words.back().size();
    const StringRef Behind = Text.substr(At).ltrim(" \t");
    if (Behind.starts_with("##"))
      At = Text.size() - Behind.size();
  }
  return Words;
}

} // namespace

bool mayPaste(StringRef Text, StringRef Name) {
  for (size_t At = Text.find("##"); At != StringRef::npos;
       At = Text.find("##", At)) {
    const size_t Paste = At;
    const auto Words = pastedWords(Text, At);
    size_t Begin = static_cast<size_t>(Words.front().begin() - Text.begin());
    if (!isRecordKeyword(previousToken(Text, Begin)) ||
        !Text.substr(skipBlank(Text, At)).starts_with("{"))
      continue;
    const auto Parameters = parametersAround(Text, Paste);
    auto IsFixed = [&](StringRef Word) {
      return !llvm::is_contained(Parameters, Word);
    };
    size_t Fixed = 0;
    for (StringRef Word : Words)
      Fixed += IsFixed(Word) ? Word.size() : 0;
    if (Name.size() >= Fixed &&
        (!IsFixed(Words.front()) || Name.starts_with(Words.front())) &&
        (!IsFixed(Words.back()) || Name.ends_with(Words.back())))
      return true;
  }
  return false;
}

bool mentions(StringRef Text, StringRef Name) {
  for (size_t At = Text.find(Name); At != StringRef::npos;
       At = Text.find(Name, At + 1))
    if (isWholeWord(Text, At, Name.size()))
      return true;
  return false;
}

namespace {

/// Reads what follows the word `typedef`.
class TypedefReader {
public:
  TypedefReader(StringRef Text, size_t At, StringRef Name)
      : Text(Text), At(At), Name(Name) {}

  void read(std::vector<ScannedTypedef> &Into) {
    if (!isRecordKeyword(word()))
      return;
    while ((At = skipBlank(Text, At)) < Text.size()) {
      const char C = Text[At];
      if (isWord(C)) {
        Words.push_back(word());
        continue;
      }
      ++At;
      if (C == '(') { // of an attribute
        if (!Words.empty())
          Words.pop_back();
        skipGroup('(', ')');
      } else if (C == '{') {
        takeTag();
        Body = true;
        skipGroup('{', '}');
      } else if (C == '*') {
        takeTag();
        Pointer = true;
      } else if (C == '[') {
        skipGroup('[', ']');
        Pointer = true;
      } else if (C == ',' || C == ';') {
        declare(Into);
        if (C == ';')
          return;
      } else if (C != ']') {
        return;
      }
    }
  }

private:
  StringRef word() {
    At = skipBlank(Text, At);
    size_t Begin = At;
    while (At < Text.size() && isWord(Text[At]))
      ++At;
    return Text.slice(Begin, At);
  }

  /// The last word so far is the tag, if nothing was before.
  void takeTag() {
    if (!Body && Tag.empty() && !Words.empty())
      Tag = Words.back();
    Words.clear();
  }

  void skipGroup(char Open, char Close) {
    for (int Depth = 1; At < Text.size() && Depth;) {
      size_t Next = skipOpaque(Text, At);
      if (Next == At) {
        Depth += Text[At] == Open;
        Depth -= Text[At] == Close;
        ++Next;
      }
      At = Next;
    }
  }

  void declare(std::vector<ScannedTypedef> &Into) {
    if (!Body && Tag.empty() && Words.size() >= 2)
      Tag = Words[Words.size() - 2];
    if (!Words.empty() && Words.back() == Name && !Tag.empty() && Tag != Name)
      Into.push_back({Tag.str(), Pointer});
    Words.clear();
    Pointer = false;
  }

  StringRef Text;
  size_t At;
  StringRef Name, Tag;
  std::vector<StringRef> Words;
  bool Body = false, Pointer = false;
};

} // namespace

std::vector<ScannedTypedef> typedefsOf(StringRef Text, StringRef Name) {
  constexpr StringRef Keyword = "typedef";
  std::vector<ScannedTypedef> Found;
  if (Name.empty() || !mentions(Text, Name))
    return Found;
  for (size_t At = Text.find(Keyword); At != StringRef::npos;
       At = Text.find(Keyword, At + 1)) {
    if (!isWholeWord(Text, At, Keyword.size()))
      continue;
    const size_t Before = Found.size();
    TypedefReader(Text, At + Keyword.size(), Name).read(Found);
    if (Found.size() != Before && !isCode(Text, At))
      Found.resize(Before);
  }
  return Found;
}

void collectStructs(StringRef Text, std::set<std::string> &Into) {
  for (StringRef Keyword : {"struct", "union"}) {
    for (size_t At = Text.find(Keyword); At != StringRef::npos;
         At = Text.find(Keyword, At + 1)) {
      size_t Begin = skipBlank(Text, At + Keyword.size());
      size_t End = Begin;
      while (End < Text.size() && isWord(Text[End]))
        ++End;
      size_t After = skipBlank(Text, End);
      if (End > Begin && Begin > At + Keyword.size() && After < Text.size() &&
          Text[After] == '{')
        Into.insert(Text.slice(Begin, End).str());
    }
  }
}

} // namespace kst
