// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/Ignored.h"

#include <algorithm>

namespace kst {

Result<Ignored> Ignored::parse(const std::vector<std::string> &Words,
                               std::span<const FindingKind> Kinds) {
  Ignored All;
  for (const std::string &Word : Words) {
    if (std::optional<FindingKind> Kind =
            parseFindingKind(Word == "lines" ? std::string("line-more") : Word);
        Kind && std::ranges::find(Kinds, *Kind) != Kinds.end()) {
      All.Kinds.push_back(*Kind);
      continue;
    }
    // Kinds have hyphens, names in C have none.
    if (Word.empty() || Word.find_first_of("- \t") != std::string::npos ||
        Word.front() == '.' || Word.back() == '.')
      return Failure{"--ignore takes kinds of findings, STRUCT or "
                     "STRUCT.FIELD, not '" +
                     Word + "'"};
    All.Names.push_back(Word);
  }
  return All;
}

std::vector<std::string> Ignored::apply(FindingList &List) const {
  std::vector<std::string> Unused = Names;
  List.Suppressed +=
      static_cast<uint32_t>(std::erase_if(List.Findings, [&](const Finding &F) {
        const std::string Field =
            F.Fields.empty() ? "" : F.Struct + "." + F.Fields.front();
        const auto IsOf = [&](const std::string &Name) {
          return Name == F.Struct || Name == Field;
        };
        std::erase_if(Unused, IsOf);
        return std::ranges::find(Kinds, F.Kind) != Kinds.end() ||
               std::ranges::any_of(Names, IsOf);
      }));
  return Unused;
}

} // namespace kst
