// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/AlignedOrder.h"

#include "hybrid/layout/Scores.h"

namespace kst {

AlignedOrder alignedOrder(const LayoutProblem &Problem,
                          const MoveUnitOrder &Order, uint32_t First,
                          std::string Name) {
  AlignedOrder Made;
  Made.Score = scoreOf(Problem, std::move(Name), Order);
  const std::vector<uint32_t> Fields = Problem.rules().fields(Order);
  Made.Score.Notes = Problem.brokenRules(Order);
  for (size_t C = 0; C != Problem.configCount(); ++C) {
    RecordInfo Record = Problem.record(C);
    Record.Fields[First].WantedAlignBytes = Problem.options().LineBytes;
    Made.Layouts.push_back(FieldOffsets(Record).layout(Fields));
  }
  const uint64_t Now = Problem.record(0).SizeBytes,
                 Then = Made.Layouts.front().SizeBytes;
  if (Then > Now)
    Made.Score.Notes.push_back("takes " + std::to_string(Then - Now) +
                               " bytes more than now");
  CostOptions OnLines = Problem.options();
  OnLines.InstanceAlignBytes = OnLines.LineBytes;
  Made.Score.Plan = Made.Layouts.front();
  Made.Score.Objective = 0;
  for (size_t M = 0; M != Problem.modelCount(); ++M) {
    const size_t C = Problem.configOf(M);
    const auto &Sets = Problem.evidence().Configs[C].Sets;
    const Cost Price =
        Problem.priced(M, Sets, OnLines, Problem.sharing(M, Sets))
            .price(Made.Layouts[C]);
    Made.Score.Objective += Problem.share(M) * Price.total();
    if (M == 0)
      Made.Score.Price = Price;
  }
  return Made;
}

} // namespace kst
