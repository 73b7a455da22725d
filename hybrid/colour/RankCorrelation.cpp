// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/RankCorrelation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kst {
namespace {

/// Ranks from 1, ties in the middle.
std::vector<double> ranks(const std::vector<uint64_t> &Of) {
  std::vector<size_t> Line(Of.size());
  std::iota(Line.begin(), Line.end(), 0);
  std::stable_sort(Line.begin(), Line.end(),
                   [&](size_t A, size_t B) { return Of[A] < Of[B]; });
  std::vector<double> Out(Of.size());
  for (size_t I = 0; I < Line.size();) {
    size_t End = I;
    while (End < Line.size() && Of[Line[End]] == Of[Line[I]])
      ++End;
    for (size_t J = I; J < End; ++J)
      Out[Line[J]] = double(I + End + 1) / 2;
    I = End;
  }
  return Out;
}

double correlation(const std::vector<double> &A, const std::vector<double> &B) {
  const double N = double(A.size());
  if (A.size() < 2)
    return 0;
  const double MeanA = std::accumulate(A.begin(), A.end(), 0.0) / N,
               MeanB = std::accumulate(B.begin(), B.end(), 0.0) / N;
  double Both = 0, OfA = 0, OfB = 0;
  for (size_t I = 0; I < A.size(); ++I) {
    Both += (A[I] - MeanA) * (B[I] - MeanB);
    OfA += (A[I] - MeanA) * (A[I] - MeanA);
    OfB += (B[I] - MeanB) * (B[I] - MeanB);
  }
  return OfA > 0 && OfB > 0 ? Both / std::sqrt(OfA * OfB) : 0;
}

} // namespace

double rankCorrelation(const std::vector<uint64_t> &A,
                       const std::vector<uint64_t> &B) {
  return correlation(ranks(A), ranks(B));
}

} // namespace kst
