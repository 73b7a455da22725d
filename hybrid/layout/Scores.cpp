// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Scores.h"

#include "hybrid/layout/Moves.h"

namespace kst {

double expectedLines(const RecordInfo &Record, const CoAccessSet &Set,
                     const Layout &Plan, const CostOptions &Options) {
  CoAccessSet Once = Set;
  Once.Weight = 1;
  return LayoutCost(Record, {&Once, 1}, Options, {}).price(Plan).Touched;
}

double objective(const LayoutProblem &Problem,
                 std::span<const uint32_t> Order) {
  double Sum = 0;
  for (const SearchConfig &In : Problem.space().configs())
    Sum += In.Share * In.Model->price(In.Offsets.layout(Order)).total();
  return Sum;
}

OrderScore scoreOf(const LayoutProblem &Problem, std::string Name,
                   const MoveUnitOrder &Order) {
  OrderScore Result;
  Result.Name = std::move(Name);
  Result.Plan = Problem.space().layout(Order);
  Result.Price = Problem.model().price(Result.Plan);
  Result.Objective = objective(Problem, Result.Plan.Order);
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
  auto Add = [&](size_t M, uint32_t Bytes) {
    const AffinityEvidence &Config =
        Problem.evidence().Configs[Problem.configOf(M)];
    ConfigScore Score;
    Score.Config = Problem.configOf(M);
    Score.LineBytes = Bytes;
    Score.Optimised = Bytes == LineSizes.front();
    Score.Shared = Problem.isShared(M);
    Score.Record = Config.Record;
    Score.Current = statedLayout(Config.Record);
    Score.Proposed = FieldOffsets(Config.Record).layout(Proposed.Order);
    CostOptions Options = Problem.options();
    Options.LineBytes = Bytes;
    const LayoutCost Model = Problem.priced(M, Config.Sets, Options);
    Score.Now = Model.price(Score.Current);
    Score.New = Model.price(Score.Proposed);
    Score.Visits = Model.visits();
    Scores.push_back(std::move(Score));
  };
  for (uint32_t Bytes : LineSizes)
    for (size_t C = 0; C < Problem.configCount(); ++C)
      Add(C, Bytes);
  for (size_t M = Problem.configCount(); M < Problem.modelCount(); ++M)
    Add(M, LineSizes.front());
  return Scores;
}

} // namespace kst
