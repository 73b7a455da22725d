// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Bound.h for the proof.

#include "hybrid/layout/bound/Bound.h"

#include "hybrid/layout/bound/ExactPartition.h"
#include "hybrid/layout/bound/FrozenLines.h"
#include "hybrid/layout/bound/PartitionBound.h"
#include "hybrid/layout/bound/SpotLines.h"

#include <algorithm>
#include <limits>

namespace kst {

double leastLines(std::span<const uint64_t> ExtentBits,
                  std::span<const double> P, uint32_t LineBytes) {
  double Untouched = 1, MeanLines = 0;
  uint64_t Bytes = 0;
  for (size_t I = 0; I < P.size(); ++I) {
    Untouched *= 1 - P[I];
    MeanLines += P[I] * static_cast<double>(ExtentBits[I]) / (8.0 * LineBytes);
    Bytes += ExtentBits[I] / 8;
  }
  if (Bytes <= LineBytes || P.size() * Bytes > 200'000)
    return std::max(1 - Untouched, MeanLines);

  // Chance[b]: the touched fields have b bytes together.
  std::vector<double> Chance(Bytes + 1);
  Chance[0] = 1;
  uint64_t Reach = 0;
  for (size_t I = 0; I < P.size(); ++I) {
    uint64_t Size = ExtentBits[I] / 8;
    if (!Size)
      continue;
    for (uint64_t B = Reach + 1; B-- > 0;) {
      double Was = Chance[B];
      Chance[B] = Was * (1 - P[I]);
      Chance[B + Size] += Was * P[I];
    }
    Reach += Size;
  }
  // Fields of less than a byte may be touched while b is 0.
  double Sum = std::max(0.0, Chance[0] - Untouched);
  for (uint64_t B = 1; B <= Reach; ++B)
    Sum += Chance[B] * static_cast<double>((B + LineBytes - 1) / LineBytes);
  return Sum;
}

double lowerBound(const RecordInfo &Record, const LayoutCost &Model) {
  double Fields = 0, Spots = 0;
  std::vector<uint64_t> Bits;
  std::vector<double> P;
  for (size_t S = 0; S < Model.setCount(); ++S) {
    Bits.clear();
    P.clear();
    for (auto [Field, Probability, Written] : Model.fieldTouches(S)) {
      Bits.push_back(Record.Union ? 0 : Model.extentBits(Field));
      P.push_back(Probability);
    }
    const double Lines = leastLines(Bits, P, Model.options().LineBytes);
    Fields += Model.weight(S) * Lines;
    if (!Record.Union)
      Spots +=
          Model.weight(S) * std::max(Lines, leastSpotLines(Record, Model, S));
  }
  if (Record.Union)
    return Fields;
  return std::max(Fields + insideCost(Record, Model), Spots);
}

CertifiedBound certifiedBound(const RecordInfo &Record, const LayoutCost &Model,
                              const Constraints &Rules, uint64_t Budget) {
  CertifiedBound Result;
  Result.Value = lowerBound(Record, Model);
  if (Record.Union)
    return Result;
  FrozenLines Frozen = frozenLines(Record, Model, Rules);
  if (Frozen.All) {
    Result.Value = Frozen.Cost;
    return Result;
  }
  LineProblem Whole(Record, Model, Rules, 0, ~0u, Frozen.Bits);
  const double Fixed =
      Frozen.Cost + Whole.forcedCost() + insideCost(Record, Model);
  auto Raise = [&](double Found) {
    Result.Value = std::max(Result.Value, Fixed + Found);
  };
  Result.Value += Whole.forcedCost();
  if (Whole.itemCount() <= MostExactItems) {
    PartitionBound Program = partitionBound(Whole, Budget);
    ExactPartition Exact = exactPartition(Whole, Program, Budget / 2);
    Raise(Program.Value);
    Raise(Exact.Value);
    if (Exact.Exact)
      for (std::vector<uint32_t> &Line : Exact.Lines)
        Result.Lines.push_back({std::move(Line), 1});
    else
      Result.Lines = std::move(Program.Lines);
    return Result;
  }
  // Leaving out what makes a thousandth of the price saves much time. Where the
  // program is too large to be finished, one over fewer fields is better.
  LineProblem All(Record, Model, Rules, 1e-3, ~0u, Frozen.Bits);
  for (uint32_t Most : {50u, 100u, ~0u}) {
    bool Last = Most >= All.itemCount();
    if (!Last && 3 * Most > 2 * All.itemCount())
      continue;
    PartitionBound Found =
        Last ? partitionBound(All, Budget)
             : partitionBound(
                   LineProblem(Record, Model, Rules, 1e-3, Most, Frozen.Bits),
                   Budget / 4);
    Raise(Found.Value);
    if (Last) {
      Result.Lines = std::move(Found.Lines);
      break;
    }
  }
  return Result;
}

double gap(double Total, double Bound) {
  if (Bound > 0)
    return (Total - Bound) / Bound;
  return Total > 0 ? std::numeric_limits<double>::infinity() : 0;
}

} // namespace kst
