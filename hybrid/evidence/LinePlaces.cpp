// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>
#include <map>
#include <optional>

namespace kst {

/// Blocks whose estimates differ by less run equally often.
static constexpr double AsHot = 0.99;

/// Whether the line of a call has code there: that of a function in a header is
/// inlined, with lines of its own, and the count is that of the line before.
static bool ownCode(const Program &Whole, FunctionId Id, const CallFact &Call) {
  if (Call.Kind != CallKind::Direct)
    return true;
  const std::vector<PossibleCallee> To = Whole.callees(Id, Call);
  return To.empty() || !std::ranges::all_of(To, [&](const PossibleCallee &Of) {
           const LinkedFunction &Callee = Whole.Functions[Of.Function];
           return Whole.text(Callee.Unit, Callee.Fact->File).ends_with(".h");
         });
}

/// Calls Do(line, block, whether it has code there) for each place of the
/// function in its own file.
template <typename Callback>
static void eachPlace(const Program &Whole, FunctionId Id, Callback &&Do) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  for (const AccessFact &Access : rowsOf(Facts.Accesses, Function.Accesses))
    if (Access.File == Function.File)
      Do(Access.Line, Access.Block, true);
  for (const CallFact &Call : rowsOf(Facts.Calls, Function.Calls))
    if (Call.File == Function.File)
      Do(Call.Line, Call.Block, ownCode(Whole, Id, Call));
}

std::vector<bool> blocksWithoutOwnCode(const Program &Whole, FunctionId Id) {
  std::vector<bool> Without(Whole.Functions[Id].Fact->Blocks.size(), true);
  eachPlace(Whole, Id, [&](uint32_t, uint32_t Block, bool Own) {
    if (Own)
      Without[Block] = false;
  });
  return Without;
}

std::vector<std::pair<uint32_t, double>>
blocksOfLines(const Program &Whole, FunctionId Id,
              const std::vector<LineRuns> &Ran) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Function = *Whole.Functions[Id].Fact;
  auto Frequency = [&](uint32_t Block) {
    return Facts.Blocks[Function.Blocks.Begin + Block].Frequency;
  };
  std::map<uint32_t, double> Hottest; // frequency on each line
  eachPlace(Whole, Id, [&](uint32_t Line, uint32_t Block, bool) {
    double &Most = Hottest[Line];
    Most = std::max(Most, double(Frequency(Block)));
  });
  struct Bound {
    std::optional<double> Runs;
    bool Told = false;   // some line has no block that runs more often
    bool Unsure = false; // some line without code of its own did not run
  };
  std::map<uint32_t, Bound> Blocks;
  eachPlace(Whole, Id, [&](uint32_t Line, uint32_t Block, bool Own) {
    const int32_t From = int32_t(Line - Function.Line);
    auto At = std::ranges::upper_bound(Ran, From, {}, &LineRuns::Begin);
    if (At == Ran.begin() || From - (--At)->Begin >= int64_t(At->Lines))
      return;
    Bound &Of = Blocks[Block];
    if (At->Runs == 0 && !Own) {
      Of.Unsure = true;
      return;
    }
    Of.Runs = std::min(Of.Runs.value_or(At->Runs), At->Runs);
    Of.Told |= At->Runs == 0 || Frequency(Block) >= AsHot * Hottest.at(Line);
  });
  std::vector<std::pair<uint32_t, double>> Known;
  for (const auto &[Block, Of] : Blocks)
    if (Of.Told || (Of.Unsure && !Of.Runs))
      Known.push_back({Block, Of.Runs.value_or(0)});
  return Known;
}

} // namespace kst
