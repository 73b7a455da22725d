// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/SameSymbols.h"

#include <map>

namespace kst {
namespace {

using NumbersByName = std::map<std::string, std::vector<uint32_t>>;

bool isOfSection(const ObjectFile &File, const ObjectSymbol &Of) {
  return Of.Section < File.Sections.size();
}

/// Pairs the symbols that both have under a name; takes those off Left.
void pairUp(NumbersByName &Old, NumbersByName &New, bool AsMany,
            std::vector<uint32_t> &To) {
  for (auto &[Name, Were] : Old) {
    const auto Are = New.find(Name);
    if (Are == New.end() || (AsMany && Were.size() != Are->second.size()))
      continue;
    const size_t Both = std::min(Were.size(), Are->second.size());
    for (size_t I = 0; I < Both; ++I)
      To[Were[I]] = Are->second[I];
    Were.erase(Were.begin(), Were.begin() + long(Both));
    Are->second.erase(Are->second.begin(), Are->second.begin() + long(Both));
  }
}

NumbersByName withoutNumbers(const ObjectFile &File,
                             const NumbersByName &Left) {
  std::vector<bool> Is(File.Symbols.size());
  for (const auto &[Name, All] : Left)
    for (uint32_t S : All)
      Is[S] = true;
  NumbersByName Out;
  for (uint32_t S = 0; S < Is.size(); ++S)
    if (Is[S])
      Out[unnumbered(File.Symbols[S].Name)].push_back(S);
  return Out;
}

NumbersByName byName(const ObjectFile &File) {
  NumbersByName Out;
  for (uint32_t S = 0; S < File.Symbols.size(); ++S)
    if (isOfSection(File, File.Symbols[S]))
      Out[File.Symbols[S].Name].push_back(S);
  return Out;
}

} // namespace

std::string unnumbered(const std::string &Name) {
  const size_t End = Name.find_last_not_of("0123456789");
  return End == std::string::npos || End + 1 == Name.size() || !End ||
                 Name[End] != '.'
             ? Name
             : Name.substr(0, End);
}

std::vector<uint32_t> sameSymbols(const ObjectFile &Old,
                                  const ObjectFile &New) {
  std::vector<uint32_t> Out(Old.Symbols.size(), ObjectSymbol::None);
  NumbersByName Were = byName(Old), Are = byName(New);
  pairUp(Were, Are, false, Out);
  NumbersByName WereLeft = withoutNumbers(Old, Were),
                AreLeft = withoutNumbers(New, Are);
  pairUp(WereLeft, AreLeft, true, Out);
  return Out;
}

std::vector<bool> hadSymbols(const ObjectFile &Old, const ObjectFile &New) {
  std::vector<bool> Out(New.Symbols.size());
  for (uint32_t S : sameSymbols(Old, New))
    if (S != ObjectSymbol::None)
      Out[S] = true;
  return Out;
}

} // namespace kst
