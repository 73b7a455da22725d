// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which of many sites of a field are worth keeping: readers do not push out
// writers, which are few and matter most.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kst {

/// As many readers, and as many writers, are kept.
inline constexpr size_t MaxSites = 8;

/// Makes sites of one place one.
template <typename Site> void mergePlaces(std::vector<Site> &Sites) {
  std::sort(Sites.begin(), Sites.end());
  size_t Last = 0;
  for (size_t I = 1; I < Sites.size(); ++I)
    if (Sites[Last] < Sites[I]) {
      Sites[++Last] = Sites[I];
    } else {
      Sites[Last].Reads += Sites[I].Reads;
      Sites[Last].Writes += Sites[I].Writes;
    }
  if (!Sites.empty())
    Sites.resize(Last + 1);
}

/// Sorts Sites by Reads + Writes, most first, ties by operator<. Of more than
/// MaxSites it keeps those that are among the MaxSites that read most, or among
/// the MaxSites that write most.
template <typename Site> void keepStrongest(std::vector<Site> &Sites) {
  std::ranges::sort(Sites, [](const Site &A, const Site &B) {
    double L = A.Reads + A.Writes, R = B.Reads + B.Writes;
    return L != R ? L > R : A < B;
  });
  if (Sites.size() <= MaxSites)
    return;
  // What the last site that is kept has at least.
  auto Least = [&](double Site::*Amount) {
    std::vector<double> Amounts;
    for (const Site &S : Sites)
      Amounts.push_back(S.*Amount);
    std::nth_element(Amounts.begin(), Amounts.begin() + (MaxSites - 1),
                     Amounts.end(), std::greater<>());
    return Amounts[MaxSites - 1];
  };
  double LeastRead = Least(&Site::Reads), LeastWritten = Least(&Site::Writes);
  size_t Readers = 0, Writers = 0;
  std::erase_if(Sites, [&](const Site &S) {
    bool Reader = S.Reads > 0 && S.Reads >= LeastRead && Readers < MaxSites;
    bool Writer =
        S.Writes > 0 && S.Writes >= LeastWritten && Writers < MaxSites;
    Readers += Reader;
    Writers += Writer;
    return !Reader && !Writer;
  });
}

} // namespace kst
