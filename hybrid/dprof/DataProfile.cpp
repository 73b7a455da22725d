// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/DataProfile.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kst {

const char *spelling(TypeKind Kind) {
  static constexpr const char *Names[TypeKinds] = {
      "struct", "allocator", "page", "cached-page", "free-slots",
      "static", "per-cpu",   "user", "unknown"};
  return Names[size_t(Kind)];
}

template <typename T> static uint64_t sum(const T &Of) {
  return std::accumulate(Of.begin(), Of.end(), uint64_t(0));
}

uint64_t AccessCounts::misses(CacheLevel Level) const {
  return sum(Missed[size_t(Level)]);
}

AccessCounts &AccessCounts::operator+=(const AccessCounts &Other) {
  Loads += Other.Loads;
  Stores += Other.Stores;
  Upgrades += Other.Upgrades;
  for (size_t By = 0; By < Servers; ++By)
    Served[By] += Other.Served[By];
  for (size_t Level = 0; Level < CacheLevels; ++Level)
    for (size_t Class = 0; Class < MissClasses; ++Class)
      Missed[Level][Class] += Other.Missed[Level][Class];
  return *this;
}

uint64_t PlaceRow::misses() const { return sum(Missed); }

void sortTypes(DataProfile &P) {
  std::vector<uint32_t> Order;
  for (uint32_t T = 0; T < P.Types.size(); ++T)
    if (P.Types[T].Counts.accesses() || P.Types[T].Live.Most)
      Order.push_back(T);
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    auto Key = [&](uint32_t T) {
      const TypeRow &Of = P.Types[T];
      return std::tuple(~Of.Counts.misses(P.Level), ~Of.Counts.accesses(),
                        std::cref(Of.Name).get());
    };
    return Key(A) < Key(B);
  });
  auto Sorted = [&](auto &Rows) {
    std::remove_reference_t<decltype(Rows)> Out;
    for (uint32_t T : Order)
      Out.push_back(std::move(Rows[T]));
    Rows = std::move(Out);
  };
  Sorted(P.Types);
  for (WindowRow &Row : P.Windows)
    for (auto *Bytes : {&Row.Live, &Row.Active, &Row.Resident})
      Sorted(*Bytes);
  std::vector<uint32_t> Place(
      Order.empty() ? 0 : *std::max_element(Order.begin(), Order.end()) + 1);
  for (uint32_t Row = 0; Row < Order.size(); ++Row)
    Place[Order[Row]] = Row;
  for (SetRow &Of : P.Sets.Fullest)
    for (auto &[Type, Misses] : Of.Types)
      Type = Place[Type];
}

double DataProfile::cost(const AccessCounts &Of) const {
  double Sum = 0;
  for (size_t By = 0; By < Servers; ++By)
    Sum += Latency[By] * double(Of.Served[By]);
  return Sum;
}

} // namespace kst
