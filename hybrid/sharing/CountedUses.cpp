// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/CountedUses.h"

namespace kst {

void useCounts(ThreadWalk &Walk, const CountedLines &Counts,
               const std::vector<uint32_t> &ThreadsOf) {
  auto Line = [](const RoleUse &Use) {
    return std::pair(Use.Where.File.substr(Use.Where.File.rfind('/') + 1),
                     Use.Where.Line);
  };
  // What the uses of a line make together, over all threads.
  CountedLines Guessed;
  for (const RoleUse &Use : Walk.Uses) {
    auto &[Reads, Writes] = Guessed[Line(Use)];
    Reads += Use.Reads * ThreadsOf[Use.Role];
    Writes += Use.Writes * ThreadsOf[Use.Role];
  }
  double All = 0, AllGuessed = 0;
  for (const auto &[At, Of] : Guessed)
    if (auto It = Counts.find(At); It != Counts.end()) {
      All += It->second.first + It->second.second;
      AllGuessed += Of.first + Of.second;
    }
  if (All <= 0 || AllGuessed <= 0)
    return;
  for (RoleUse &Use : Walk.Uses) {
    auto It = Counts.find(Line(Use));
    const auto &[Reads, Writes] = Guessed[Line(Use)];
    auto Factor = [&](double Guess, double Count) {
      return It == Counts.end() ? All / AllGuessed
             : Guess > 0        ? Count / Guess
                                : 0;
    };
    Use.Reads *= Factor(Reads, It == Counts.end() ? 0 : It->second.first);
    Use.Writes *= Factor(Writes, It == Counts.end() ? 0 : It->second.second);
  }
  for (ThreadRole &Role : Walk.Roles)
    Role.Blocks *= All / AllGuessed;
}

} // namespace kst
