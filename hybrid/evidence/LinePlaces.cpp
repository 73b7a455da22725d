// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>
#include <map>

namespace kst {

std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id,
              const std::vector<LineRuns> &Ran) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  std::map<uint32_t, double> Blocks;
  auto Add = [&](const auto &Place) {
    if (Place.File != Function.File)
      return;
    const int32_t Line = int32_t(Place.Line - Function.Line);
    auto At = std::ranges::upper_bound(Ran, Line, {}, &LineRuns::Begin);
    if (At == Ran.begin() || Line - (--At)->Begin >= int64_t(At->Lines))
      return;
    auto [It, New] = Blocks.try_emplace(Place.Block, At->Runs);
    It->second = std::min(It->second, At->Runs);
  };
  for (const AccessFact &Access : rowsOf(Facts.Accesses, Function.Accesses))
    Add(Access);
  for (const CallFact &Call : rowsOf(Facts.Calls, Function.Calls))
    Add(Call);
  return {Blocks.begin(), Blocks.end()};
}

} // namespace kst
