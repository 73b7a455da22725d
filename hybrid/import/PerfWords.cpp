// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfWords.h"

#include "hybrid/import/TextLines.h"

#include <algorithm>

namespace kst {

static bool identifier(std::string_view Text, std::string_view More = {}) {
  return !Text.empty() && !(Text[0] >= '0' && Text[0] <= '9') &&
         std::ranges::all_of(Text, [&](char C) {
           return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                  (C >= '0' && C <= '9') || C == '_' ||
                  More.find(C) != More.npos;
         });
}

bool hexText(std::string_view Text) {
  return !Text.empty() && Text.size() <= 16 &&
         Text.find_first_not_of("0123456789abcdef") == Text.npos;
}

std::optional<uint32_t> offsetOf(std::string_view Text) {
  auto Value =
      Text.starts_with("0x") ? numberOf(Text.substr(2), 16) : numberOf(Text);
  if (!Value || *Value > ~0u)
    return std::nullopt;
  return static_cast<uint32_t>(*Value);
}

bool kernelDso(std::string_view Dso) {
  return Dso.find("kernel") != Dso.npos || Dso.find("vmlinux") != Dso.npos ||
         Dso.find(".ko") != Dso.npos;
}

std::optional<TypedPlace> placeAt(const std::vector<std::string_view> &Words,
                                  size_t At) {
  if (At < Words.size() && (Words[At] == "struct" || Words[At] == "union"))
    ++At;
  if (At >= Words.size())
    return std::nullopt;
  TypedPlace Out;
  if (At + 1 < Words.size() && Words[At + 1].starts_with('+')) {
    auto Offset = offsetOf(Words[At + 1].substr(1));
    if (!Offset || !identifier(Words[At]))
      return std::nullopt;
    Out.Struct = Words[At];
    Out.OffsetBytes = *Offset;
    if (At + 2 < Words.size() && Words[At + 2].starts_with('(') &&
        Words[At + 2].ends_with(')'))
      Out.Field = Words[At + 2].substr(1, Words[At + 2].size() - 2);
    return Out;
  }
  size_t Dot = Words[At].find('.');
  if (Dot == Words[At].npos || !identifier(Words[At].substr(0, Dot)) ||
      !identifier(Words[At].substr(Dot + 1), ".[]|"))
    return std::nullopt;
  Out.Struct = Words[At].substr(0, Dot);
  Out.Field = Words[At].substr(Dot + 1);
  return Out;
}

std::string_view sourceFunction(std::string_view Symbol) {
  // "+0x12", but not the operators of C++.
  if (size_t Plus = Symbol.rfind("+0x"); Plus != Symbol.npos && Plus)
    Symbol = Symbol.substr(0, Plus);
  for (bool Again = true; Again;) {
    Again = false;
    size_t Dot = Symbol.rfind('.');
    if (Dot == Symbol.npos || !Dot)
      break;
    std::string_view Last = Symbol.substr(Dot + 1);
    if (numberOf(Last)) { // ".constprop.0"
      size_t Before = Symbol.rfind('.', Dot - 1);
      if (Before == Symbol.npos || !Before)
        break;
      Last = Symbol.substr(Before + 1, Dot - Before - 1);
      Dot = Before;
    }
    for (std::string_view Known :
         {"constprop", "isra", "part", "cold", "llvm", "__uniq", "lto_priv"})
      if (Last == Known) {
        Symbol = Symbol.substr(0, Dot);
        Again = true;
      }
  }
  return Symbol;
}

/// Takes "symbol+0x1f/", maybe with a program "(...)" before the slash, or
/// "0x1f/", off the front. False if that is not there.
static bool takeBranchEnd(std::string_view &Word, std::string_view &Symbol,
                          uint64_t &Offset) {
  size_t End = Word.find_first_of("(/");
  if (End == Word.npos)
    return false;
  std::string_view Text = Word.substr(0, End);
  if (Word[End] == '(')
    End = Word.find(")/", End);
  if (End == Word.npos)
    return false;
  Word.remove_prefix(Word.find('/', End) + 1);
  size_t Plus = Text.rfind("+0x");
  const size_t Digits = Plus == Text.npos ? 2 : Plus + 3;
  if (Plus == Text.npos && !Text.starts_with("0x"))
    return false;
  auto Number = numberOf(Text.substr(Digits), 16);
  if (!Number)
    return false;
  Symbol = Plus == Text.npos ? "" : Text.substr(0, Plus);
  Offset = *Number;
  return true;
}

std::optional<TakenBranch> takenBranch(std::string_view Word) {
  TakenBranch Out;
  std::string_view From;
  uint64_t Offset = 0;
  if (!takeBranchEnd(Word, From, Offset) ||
      !takeBranchEnd(Word, Out.To, Offset))
    return std::nullopt;
  // Predicted or not; N: not taken.
  const std::string_view Flags = Word.substr(0, Word.find('/'));
  if (Flags.empty() || Flags.size() == Word.size() ||
      Flags.find_first_not_of("MP-") != Flags.npos)
    return std::nullopt;
  Out.ToStart = !Offset;
  return Out;
}

} // namespace kst
