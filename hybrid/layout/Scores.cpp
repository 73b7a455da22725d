// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Scores.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/Moves.h"

namespace kst {

double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options) {
  CoAccessSet Once = Set;
  Once.Weight = 1;
  return LayoutCost(Record, {&Once, 1}, Options, {}).price(Plan).Lines;
}

OrderScore scoreOf(const LayoutProblem &Problem, std::string Name,
                   const BrickOrder &Order) {
  OrderScore Result;
  Result.Name = std::move(Name);
  Result.Plan = Problem.space().layout(Order);
  Result.Price = Problem.model().price(Result.Plan);
  for (const SearchConfig &In : Problem.space().configs())
    Result.Objective +=
        In.Share *
        In.Model->price(In.Offsets.layout(Result.Plan.Order)).total();
  Result.Moves = moveCount(Problem.space(), Order);
  Result.Notes = Problem.objections(Order);
  return Result;
}

std::vector<ConfigScore> configScores(const LayoutProblem &Problem,
                                      const Layout &Proposed) {
  std::vector<ConfigScore> Scores;
  std::vector<uint32_t> LineSizes{Problem.options().LineBytes};
  for (uint32_t Bytes : Problem.options().AlsoLineBytes)
    if (Bytes != LineSizes.front())
      LineSizes.push_back(Bytes);
  for (uint32_t Bytes : LineSizes)
    for (size_t C = 0; C < Problem.configCount(); ++C) {
      const AffinityEvidence &Config = Problem.evidence().Configs[C];
      ConfigScore Score;
      Score.LineBytes = Bytes;
      Score.Optimised = Bytes == LineSizes.front();
      Score.Record = Config.Record;
      Score.Current = statedLayout(Config.Record);
      Score.Proposed = FieldOffsets(Config.Record).layout(Proposed.Order);
      CostOptions Options = Problem.options();
      Options.LineBytes = Bytes;
      LayoutCost Model(
          Config.Record, Config.Sets, Options,
          sharingOptions(Problem.options(), Config.Users, Config.Sets));
      Score.Now = Model.price(Score.Current);
      Score.New = Model.price(Score.Proposed);
      Score.Visits = Model.visits();
      Scores.push_back(std::move(Score));
    }
  return Scores;
}

} // namespace kst
