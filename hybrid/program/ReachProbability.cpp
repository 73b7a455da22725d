// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ReachProbability.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

/// value = Constant + sum of factor * value of another block.
struct Row {
  double Constant = 0;
  std::map<uint32_t, double> Terms;
};

} // namespace

/// Gaussian elimination from the exit, which has number 0, to the entry. Blocks
/// are numbered against the flow, so a row keeps terms of the headers of the
/// loops around it only.
std::vector<double> reachProbability(const TuFacts &Facts,
                                     const FunctionFact &Function,
                                     const std::vector<bool> &Aims,
                                     const std::vector<bool> &Ends) {
  std::vector<Row> Rows(Function.Blocks.size());
  for (const EdgeFact &Edge : rowsOf(Facts.Edges, Function.Edges)) {
    if (Aims[Edge.From] || Ends[Edge.To])
      continue;
    if (Aims[Edge.To])
      Rows[Edge.From].Constant += Edge.Probability;
    else
      Rows[Edge.From].Terms[Edge.To] += Edge.Probability;
  }
  for (uint32_t B = 0; B != Rows.size(); ++B) {
    Row &Own = Rows[B];
    while (!Own.Terms.empty() && Own.Terms.begin()->first < B) {
      const auto [Lower, Factor] = *Own.Terms.begin();
      Own.Terms.erase(Own.Terms.begin());
      Own.Constant += Factor * Rows[Lower].Constant;
      for (const auto &[Block, Part] : Rows[Lower].Terms)
        Own.Terms[Block] += Factor * Part;
    }
    if (auto Again = Own.Terms.find(B); Again != Own.Terms.end()) {
      constexpr double Never = 1e-9;
      const double Leaves = 1 - Again->second;
      Own.Terms.erase(Again);
      const double Scale = Leaves > Never ? 1 / Leaves : 0;
      Own.Constant *= Scale;
      for (auto &[Block, Part] : Own.Terms)
        Part *= Scale;
    }
  }
  std::vector<double> Value(Rows.size());
  for (uint32_t B = Rows.size(); B-- != 0;) {
    double Sum = Rows[B].Constant;
    for (const auto &[Block, Part] : Rows[B].Terms)
      Sum += Part * Value[Block];
    Value[B] = Aims[B] ? 1 : std::min(1.0, Sum);
  }
  return Value;
}

} // namespace kst
