// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/index/Index.h"

#include <algorithm>
#include <numeric>

namespace kst {

IndexBuilder::IndexBuilder(Index Start) : Made(std::move(Start)) {
  for (uint32_t I = 0; I != Made.Answers.size(); ++I)
    Known.emplace(Made.Answers[I].tied(), I);
}

uint32_t IndexBuilder::answer(IndexedAnswer Of) {
  auto [It, New] = Known.try_emplace(Of.tied(), Made.Answers.size());
  if (New)
    Made.Answers.push_back(std::move(Of));
  return It->second;
}

void IndexBuilder::add(IndexedUnit Unit, const TuFacts &Facts) {
  Made.Units.push_back(std::move(Unit));
  Made.Store.add(Facts);
}

void IndexBuilder::add(const Index &Part) {
  std::vector<uint32_t> Numbers;
  for (const IndexedAnswer &Of : Part.Answers)
    Numbers.push_back(answer(Of));
  for (IndexedUnit Unit : Part.Units) {
    for (uint32_t &Answer : Unit.Answers)
      Answer = Numbers[Answer];
    Made.Units.push_back(std::move(Unit));
  }
  Made.Store.add(Part.Store);
  Made.Failed.insert(Made.Failed.end(), Part.Failed.begin(), Part.Failed.end());
}

/// The numbers of Rows, sorted.
template <typename Row, typename Less>
static std::vector<uint32_t> sortedNumbers(const std::vector<Row> &Rows,
                                           Less Before) {
  std::vector<uint32_t> Order(Rows.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::ranges::stable_sort(
      Order, [&](uint32_t A, uint32_t B) { return Before(Rows[A], Rows[B]); });
  return Order;
}

Index IndexBuilder::finish() {
  Index Out = std::move(Made);
  const auto Answers = sortedNumbers(
      Out.Answers, [](const IndexedAnswer &A, const IndexedAnswer &B) {
        return A.tied() < B.tied();
      });
  std::vector<uint32_t> Places(Answers.size());
  std::vector<IndexedAnswer> Sorted;
  for (uint32_t Old : Answers) {
    Places[Old] = Sorted.size();
    Sorted.push_back(std::move(Out.Answers[Old]));
  }
  Out.Answers = std::move(Sorted);
  const auto Order =
      sortedNumbers(Out.Units, [](const IndexedUnit &A, const IndexedUnit &B) {
        return std::tie(A.Relative, A.Key.High, A.Key.Low) <
               std::tie(B.Relative, B.Key.High, B.Key.Low);
      });
  std::vector<IndexedUnit> Units;
  for (uint32_t Old : Order) {
    Units.push_back(std::move(Out.Units[Old]));
    for (uint32_t &Answer : Units.back().Answers)
      Answer = Places[Answer];
    std::ranges::sort(Units.back().Answers);
  }
  Out.Units = std::move(Units);
  Out.Store = Out.Store.ordered(Order);
  std::ranges::sort(Out.Failed, [](const FailedUnit &A, const FailedUnit &B) {
    return std::tie(A.File, A.Reason) < std::tie(B.File, B.Reason);
  });
  return Out;
}

} // namespace kst
