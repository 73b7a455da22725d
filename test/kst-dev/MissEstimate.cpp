// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/MissEstimate.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kst {

constexpr uint64_t LineBytes = 64;

const char *spelling(MissGuess Guess) {
  static constexpr const char *Names[MissGuesses] = {
      "first", "true-sharing", "false-sharing", "conflict", "capacity"};
  return Names[size_t(Guess)];
}

void MissEstimate::access(const Access &Of) {
  const uint64_t Line = Of.Address / LineBytes;
  const uint64_t Bytes = ~uint64_t(0) >> (LineBytes - Of.Bytes)
                                             << Of.Address % LineBytes;
  auto [At, New] = First.try_emplace(Line, Histories.size());
  if (New)
    Histories.resize(Histories.size() + Rules.Cpus);
  CpuHistory *const Cpus = &Histories[At->second];
  CpuHistory &Own = Cpus[Of.Cpu];
  const uint64_t Set = Of.Cpu * Rules.Sets + Line % Rules.Sets;
  if (Of.Missed) {
    if (!Own.Window)
      Take(Of.Tag, MissGuess::First);
    else if (Own.Written)
      Take(Of.Tag, Own.Written & Bytes ? MissGuess::TrueSharing
                                       : MissGuess::FalseSharing);
    else
      Open.push_back({Set, Of.Tag});
  }
  if (Own.Window != Window)
    ++LinesOfSets[Set];
  Own = {0, Window};
  if (Of.Stores)
    for (unsigned Cpu = 0; Cpu < Rules.Cpus; ++Cpu)
      if (Cpu != Of.Cpu)
        Cpus[Cpu].Written |= Bytes;
  if (++Accesses % Rules.WindowAccesses == 0)
    endWindow();
}

void MissEstimate::endWindow() {
  std::vector<double> Crowded(Rules.Cpus); // lines from which a set is
  for (unsigned Cpu = 0; Cpu < Rules.Cpus; ++Cpu) {
    auto Begin = LinesOfSets.begin() + std::ptrdiff_t(Cpu * Rules.Sets);
    const double Lines =
        std::accumulate(Begin, Begin + std::ptrdiff_t(Rules.Sets), 0.0);
    Crowded[Cpu] =
        std::max(double(Rules.Ways), Rules.Factor * Lines / double(Rules.Sets));
  }
  for (const Replaced &Miss : Open)
    Take(Miss.Tag, LinesOfSets[Miss.Set] > Crowded[Miss.Set / Rules.Sets]
                       ? MissGuess::Conflict
                       : MissGuess::Capacity);
  Open.clear();
  std::fill(LinesOfSets.begin(), LinesOfSets.end(), 0);
  ++Window;
}

} // namespace kst
