// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/MakeFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace kst {

std::vector<StringRef> makeWords(StringRef Text) {
  std::vector<StringRef> Out;
  for (size_t At = 0; At < Text.size();) {
    while (At < Text.size() && isSpace(Text[At]))
      ++At;
    size_t Begin = At;
    while (At < Text.size() && !isSpace(Text[At]))
      ++At;
    if (At > Begin)
      Out.push_back(Text.slice(Begin, At));
  }
  return Out;
}

/// What `%` stands for, if the word matches.
static std::optional<StringRef> stem(StringRef Word, StringRef Pattern) {
  size_t Percent = Pattern.find('%');
  if (Percent == StringRef::npos)
    return Word == Pattern ? std::optional(StringRef()) : std::nullopt;
  StringRef Tail = Pattern.drop_front(Percent + 1);
  if (Word.size() < Percent + Tail.size() ||
      !Word.consume_front(Pattern.take_front(Percent)) ||
      !Word.consume_back(Tail))
    return std::nullopt;
  return Word;
}

bool matchesPattern(StringRef Word, StringRef Pattern) {
  return stem(Word, Pattern).has_value();
}

namespace {

/// Words as make prints a list of them.
std::string joined(ArrayRef<std::string> Words) {
  return llvm::join(Words, " ");
}

template <typename Function>
std::string eachWord(StringRef Text, Function &&Change) {
  std::vector<std::string> Out;
  for (StringRef Word : makeWords(Text))
    if (std::string Changed = Change(Word); !Changed.empty())
      Out.push_back(std::move(Changed));
  return joined(Out);
}

std::string replaced(StringRef From, StringRef To, StringRef Text) {
  if (From.empty())
    return (Text + To).str();
  std::string Out;
  for (size_t At; (At = Text.find(From)) != StringRef::npos;
       Text = Text.drop_front(At + From.size()))
    Out += (Text.take_front(At) + To).str();
  return Out + Text.str();
}

std::string filtered(StringRef Patterns, StringRef Text, bool Keep) {
  std::vector<StringRef> All = makeWords(Patterns);
  return eachWord(Text, [&](StringRef Word) {
    bool Matches = any_of(
        All, [&](StringRef Pattern) { return matchesPattern(Word, Pattern); });
    return Matches == Keep ? Word.str() : std::string();
  });
}

std::string sorted(StringRef Text) {
  std::vector<StringRef> Words = makeWords(Text);
  llvm::sort(Words);
  Words.erase(llvm::unique(Words), Words.end());
  return llvm::join(Words, " ");
}

/// Words number First to Last, counted from 1.
std::string wordRange(StringRef Text, size_t First, size_t Last) {
  std::vector<StringRef> Words = makeWords(Text);
  std::string Out;
  for (size_t I = std::max<size_t>(First, 1); I <= std::min(Last, Words.size());
       ++I)
    Out += (Out.empty() ? "" : " ") + Words[I - 1].str();
  return Out;
}

size_t number(StringRef Text) {
  size_t Value = 0;
  return Text.trim().getAsInteger(10, Value) ? 0 : Value;
}

/// The directory with its slash, "./" without one.
std::string directoryPart(StringRef Word) {
  size_t Slash = Word.rfind('/');
  return Slash == StringRef::npos ? "./" : Word.take_front(Slash + 1).str();
}

/// Where the suffix of the last part begins, or the length.
size_t suffixAt(StringRef Word) {
  size_t Dot = Word.rfind('.');
  size_t Slash = Word.rfind('/');
  if (Dot == StringRef::npos || (Slash != StringRef::npos && Dot < Slash))
    return Word.size();
  return Dot;
}

struct FunctionName {
  const char *Name;
  unsigned Arity;
  std::string (*Value)(ArrayRef<std::string> Args);
};

using Args = ArrayRef<std::string>;

const FunctionName Functions[] = {
    {"subst", 3, [](Args A) { return replaced(A[0], A[1], A[2]); }},
    {"patsubst", 3, [](Args A) { return patsubst(A[0], A[1], A[2]); }},
    {"strip", 1, [](Args A) { return llvm::join(makeWords(A[0]), " "); }},
    {"findstring", 2,
     [](Args A) {
       return StringRef(A[1]).contains(A[0]) ? A[0] : std::string();
     }},
    {"filter", 2, [](Args A) { return filtered(A[0], A[1], true); }},
    {"filter-out", 2, [](Args A) { return filtered(A[0], A[1], false); }},
    {"sort", 1, [](Args A) { return sorted(A[0]); }},
    {"word", 2,
     [](Args A) { return wordRange(A[1], number(A[0]), number(A[0])); }},
    {"wordlist", 3,
     [](Args A) { return wordRange(A[2], number(A[0]), number(A[1])); }},
    {"words", 1, [](Args A) { return std::to_string(makeWords(A[0]).size()); }},
    {"firstword", 1, [](Args A) { return wordRange(A[0], 1, 1); }},
    {"lastword", 1,
     [](Args A) {
       std::vector<StringRef> Words = makeWords(A[0]);
       return Words.empty() ? std::string() : Words.back().str();
     }},
    {"dir", 1, [](Args A) { return eachWord(A[0], directoryPart); }},
    {"notdir", 1,
     [](Args A) {
       return eachWord(A[0], [](StringRef W) {
         return W.rsplit('/').second.empty() && !W.contains('/')
                    ? W.str()
                    : W.rsplit('/').second.str();
       });
     }},
    {"suffix", 1,
     [](Args A) {
       return eachWord(
           A[0], [](StringRef W) { return W.drop_front(suffixAt(W)).str(); });
     }},
    {"basename", 1,
     [](Args A) {
       return eachWord(
           A[0], [](StringRef W) { return W.take_front(suffixAt(W)).str(); });
     }},
    {"addsuffix", 2,
     [](Args A) {
       return eachWord(A[1], [&](StringRef W) { return W.str() + A[0]; });
     }},
    {"addprefix", 2,
     [](Args A) {
       return eachWord(A[1], [&](StringRef W) { return A[0] + W.str(); });
     }},
};

const FunctionName *find(StringRef Name) {
  const FunctionName *Found = llvm::find_if(
      Functions, [&](const FunctionName &F) { return Name == F.Name; });
  return Found == std::end(Functions) ? nullptr : Found;
}

} // namespace

std::string patsubst(StringRef Pattern, StringRef Replacement, StringRef Text) {
  return eachWord(Text, [&](StringRef Word) {
    std::optional<StringRef> Stem = stem(Word, Pattern);
    if (!Stem)
      return Word.str();
    size_t Percent =
        Pattern.contains('%') ? Replacement.find('%') : StringRef::npos;
    if (Percent == StringRef::npos)
      return Replacement.str();
    return (Replacement.take_front(Percent) + *Stem +
            Replacement.drop_front(Percent + 1))
        .str();
  });
}

std::optional<unsigned> wordFunctionArity(StringRef Name) {
  const FunctionName *Found = find(Name);
  return Found ? std::optional(Found->Arity) : std::nullopt;
}

std::string wordFunction(StringRef Name, ArrayRef<std::string> Given) {
  const FunctionName *Found = find(Name);
  if (!Found)
    return "";
  std::vector<std::string> All = Given.vec();
  All.resize(std::max<size_t>(All.size(), Found->Arity));
  return Found->Value(All);
}

} // namespace kst
