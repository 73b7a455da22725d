// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>

namespace kst {

std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id, const LineRuns &Ran) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  std::map<uint32_t, double> Blocks;
  auto Add = [&](const auto &Place) {
    if (Place.File != Function.File)
      return;
    auto At = Ran.find(int32_t(Place.Line - Function.Line));
    if (At == Ran.end())
      return;
    auto [It, New] = Blocks.try_emplace(Place.Block, At->second);
    It->second = std::min(It->second, At->second);
  };
  for (const AccessFact &Access : rowsOf(Facts.Accesses, Function.Accesses))
    Add(Access);
  for (const CallFact &Call : rowsOf(Facts.Calls, Function.Calls))
    Add(Call);
  return {Blocks.begin(), Blocks.end()};
}

} // namespace kst
