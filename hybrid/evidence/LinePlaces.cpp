// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>
#include <map>

namespace kst {

/// Blocks whose estimates differ by less run equally often.
static constexpr double AsHot = 0.99;

std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id,
              const std::vector<LineRuns> &Ran) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  auto EachPlace = [&](auto &&Do) {
    for (const AccessFact &Access : rowsOf(Facts.Accesses, Function.Accesses))
      if (Access.File == Function.File)
        Do(Access.Line, Access.Block);
    for (const CallFact &Call : rowsOf(Facts.Calls, Function.Calls))
      if (Call.File == Function.File)
        Do(Call.Line, Call.Block);
  };
  auto Frequency = [&](uint32_t Block) {
    return Facts.Blocks[Function.Blocks.Begin + Block].Frequency;
  };
  std::map<uint32_t, double> Hottest; // frequency on each line
  EachPlace([&](uint32_t Line, uint32_t Block) {
    double &Most = Hottest[Line];
    Most = std::max(Most, double(Frequency(Block)));
  });
  struct Bound {
    double Runs = 0;
    bool Told = false; // some line has no block that runs more often
  };
  std::map<uint32_t, Bound> Blocks;
  EachPlace([&](uint32_t Line, uint32_t Block) {
    const int32_t From = int32_t(Line - Function.Line);
    auto At = std::ranges::upper_bound(Ran, From, {}, &LineRuns::Begin);
    if (At == Ran.begin() || From - (--At)->Begin >= int64_t(At->Lines))
      return;
    auto [It, New] = Blocks.try_emplace(Block, Bound{At->Runs});
    It->second.Runs = std::min(It->second.Runs, At->Runs);
    It->second.Told |=
        At->Runs == 0 || Frequency(Block) >= AsHot * Hottest.at(Line);
  });
  std::vector<std::pair<uint32_t, double>> Known;
  for (const auto &[Block, Of] : Blocks)
    if (Of.Told)
      Known.push_back({Block, Of.Runs});
  return Known;
}

} // namespace kst
