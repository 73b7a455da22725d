// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LineMaster.h. Rows 0..N-1: sum share x - surplus = 1; row N:
// -sum x + extra + too many - slack = -FreeLines; row N + 1:
// -extra - slack = -ExtraLines. Variables: columns by index, SurplusBase + r
// the surplus or slack of row r, SurplusBase + M the extra lines, one more the
// lines too many, at a price that no solution wants to pay.

#include "hybrid/layout/bound/LineMaster.h"

#include <algorithm>
#include <cmath>

namespace kst {

LineMaster::LineMaster(const std::vector<double> &Alone, double FreeLines,
                       double ExtraLines, double LinePrice)
    : N(static_cast<uint32_t>(Alone.size())), M(N + 2), FreeLines(FreeLines),
      ExtraLines(ExtraLines), LinePrice(LinePrice), TooMany(LinePrice),
      Inverse(size_t(M) * M), Value(M), Dual(M), Direction(M) {
  for (uint32_t I = 0; I < N; ++I) {
    Columns.push_back({{I}, Alone[I], 1});
    Basis.push_back(I);
    InBasis.push_back(true);
    TooMany += 2 * Alone[I];
  }
  // The basis is [I 0 0; -1' s 0; 0 0 -1], s = 1 for lines too many, -1 for
  // slack.
  double Sign = N > FreeLines ? 1 : -1;
  Basis.push_back(SurplusBase + (N > FreeLines ? M + 1 : N));
  Basis.push_back(SurplusBase + N + 1);
  for (uint32_t I = 0; I < N; ++I) {
    Inverse[size_t(I) * M + I] = 1;
    Inverse[size_t(N) * M + I] = Sign;
  }
  Inverse[size_t(N) * M + N] = Sign;
  Inverse[size_t(N + 1) * M + N + 1] = -1;
  refresh();
  publish();
}

void LineMaster::add(LineColumn Column) {
  Columns.push_back(std::move(Column));
  InBasis.push_back(false);
}

double LineMaster::costOf(uint32_t Var) const {
  if (Var < SurplusBase)
    return Columns[Var].Cost;
  if (Var < SurplusBase + M)
    return 0;
  return Var == SurplusBase + M ? LinePrice : TooMany;
}

/// Values and duals from the inverse.
void LineMaster::refresh() {
  std::fill(Dual.begin(), Dual.end(), 0);
  for (uint32_t R = 0; R < M; ++R) {
    const double *Row = &Inverse[size_t(R) * M];
    double Sum = -FreeLines * Row[N] - ExtraLines * Row[N + 1];
    double C = costOf(Basis[R]);
    for (uint32_t I = 0; I < N; ++I)
      Sum += Row[I];
    Value[R] = Sum;
    if (C != 0)
      for (uint32_t I = 0; I < M; ++I)
        Dual[I] += C * Row[I];
  }
  Work += 2ull * M * M;
}

void LineMaster::publish() {
  Prices.assign(Dual.begin(), Dual.begin() + N);
  for (double &P : Prices)
    P = std::max(0.0, P);
  Charge = std::max(0.0, Dual[N]);
  Objective = 0;
  for (double P : Prices)
    Objective += P;
  Objective -=
      Charge * FreeLines + std::max(0.0, Charge - LinePrice) * ExtraLines;
}

double LineMaster::reducedCost(uint32_t Var) const {
  if (Var >= SurplusBase) {
    uint32_t R = Var - SurplusBase;
    if (R < M)
      return Dual[R];
    return R == M ? LinePrice - Dual[N] + Dual[N + 1] : TooMany - Dual[N];
  }
  const LineColumn &C = Columns[Var];
  double Sum = C.Cost + Dual[N];
  for (uint32_t I : C.Items)
    Sum -= Dual[I];
  return Sum + (1 - C.LastShare) * Dual[C.Items.back()];
}

void LineMaster::ftran(uint32_t Var, std::vector<double> &Out) {
  for (uint32_t R = 0; R < M; ++R) {
    const double *Row = &Inverse[size_t(R) * M];
    if (Var >= SurplusBase) {
      uint32_t At = Var - SurplusBase;
      Out[R] = At < M ? -Row[At] : At == M ? Row[N] - Row[N + 1] : Row[N];
      continue;
    }
    const LineColumn &C = Columns[Var];
    double Sum = -Row[N];
    for (uint32_t I : C.Items)
      Sum += Row[I];
    Out[R] = Sum - (1 - C.LastShare) * Row[C.Items.back()];
  }
  Work += 8ull * M;
}

bool LineMaster::pivot(uint32_t Var) {
  double Entering = reducedCost(Var);
  ftran(Var, Direction);
  uint32_t Leave = M;
  double Step = 0;
  for (uint32_t R = 0; R < M; ++R) {
    if (Direction[R] < 1e-8)
      continue;
    double Ratio = std::max(0.0, Value[R]) / Direction[R];
    if (Leave == M || Ratio < Step - 1e-12 ||
        (Ratio <= Step + 1e-12 && Direction[R] > Direction[Leave])) {
      Leave = R;
      Step = Ratio;
    }
  }
  if (Leave == M)
    return false; // rounding: the program is bounded
  double *Pivot = &Inverse[size_t(Leave) * M];
  double Scale = 1 / Direction[Leave];
  for (uint32_t I = 0; I < M; ++I)
    Pivot[I] *= Scale;
  for (uint32_t R = 0; R < M; ++R) {
    double D = Direction[R];
    if (R == Leave || std::abs(D) < 1e-13)
      continue;
    double *Row = &Inverse[size_t(R) * M];
    for (uint32_t I = 0; I < M; ++I)
      Row[I] -= D * Pivot[I];
    Value[R] -= D * Step;
    Work += M;
  }
  Value[Leave] = Step;
  for (uint32_t I = 0; I < M; ++I)
    Dual[I] += Entering * Pivot[I];
  if (Basis[Leave] < SurplusBase)
    InBasis[Basis[Leave]] = false;
  Basis[Leave] = Var;
  if (Var < SurplusBase)
    InBasis[Var] = true;
  if (++Pivots % 64 == 0)
    refresh();
  return true;
}

bool LineMaster::solve(uint64_t Budget) {
  const uint64_t Stop = Work + Budget;
  double Scale = 0;
  for (uint32_t I = 0; I < N; ++I)
    Scale = std::max(Scale, Columns[I].Cost);
  const double Tolerance = 1e-9 * Scale;
  bool Done = false;
  while (Work < Stop) {
    uint32_t Best = 0;
    double BestCost = -Tolerance;
    for (uint32_t C = 0; C < Columns.size(); ++C) {
      if (InBasis[C])
        continue;
      double Reduced = reducedCost(C);
      Work += Columns[C].Items.size();
      if (Reduced < BestCost) {
        BestCost = Reduced;
        Best = C;
      }
    }
    for (uint32_t R = 0; R <= M + 1; ++R)
      if (double Reduced = reducedCost(SurplusBase + R); Reduced < BestCost) {
        BestCost = Reduced;
        Best = SurplusBase + R;
      }
    if (BestCost >= -Tolerance) {
      Done = true;
      break;
    }
    if (!pivot(Best))
      break;
  }
  publish();
  return Done;
}

std::vector<std::pair<uint32_t, double>> LineMaster::solution() const {
  std::vector<std::pair<uint32_t, double>> Used;
  for (uint32_t R = 0; R < M; ++R)
    if (Basis[R] < SurplusBase && Value[R] > 1e-9)
      Used.push_back({Basis[R], Value[R]});
  std::ranges::sort(Used, [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
  return Used;
}

} // namespace kst
