// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/NullModel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kst {

namespace {

constexpr unsigned FitRounds = 2000;
constexpr double FitWithin = 1e-9;

/// Numbers that are the same on every machine (splitmix64, Steele et al. 2014).
class Draws {
public:
  explicit Draws(uint64_t Seed) : State(Seed) {}
  uint64_t poisson(double Mean) {
    if (Mean < 30) {
      double Limit = std::exp(-Mean), Product = uniform();
      uint64_t Count = 0;
      for (; Product > Limit; ++Count)
        Product *= uniform();
      return Count;
    }
    // Anscombe: sqrt(x + 3/8) is nearly normal with variance 1/4.
    double Root = std::sqrt(Mean + 0.375) + 0.5 * normal();
    return Root > 0 ? uint64_t(std::max(0.0, Root * Root - 0.375 + 0.5)) : 0;
  }

private:
  double uniform() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return (double((Z ^ Z >> 31) >> 11) + 0.5) * 0x1p-53;
  }
  double normal() { // Box and Muller
    return std::sqrt(-2 * std::log(uniform())) *
           std::cos(2 * 3.14159265358979323846 * uniform());
  }
  uint64_t State;
};

double term(double Seen, double Expected) {
  return Seen > 0 && Expected > 0 ? 2 * Seen * std::log(Seen / Expected) : 0;
}

/// G of Poisson counts also has what the totals differ by.
double statistic(double Seen, double Expected) {
  return term(Seen, Expected) - 2 * (Seen - Expected);
}

} // namespace

std::vector<double> quasiIndependent(std::span<const uint64_t> Seen,
                                     uint32_t N) {
  std::vector<double> Margin(N), X(N), Expected(size_t(N) * N);
  double All = 0;
  for (uint32_t A = 0; A != N; ++A)
    for (uint32_t B = 0; B != N; ++B)
      if (A != B) {
        Margin[A] += double(Seen[size_t(A) * N + B]);
        All += double(Seen[size_t(A) * N + B]);
      }
  if (All <= 0)
    return Expected;
  for (uint32_t A = 0; A != N; ++A)
    X[A] = Margin[A] / std::sqrt(All);
  for (unsigned Round = 0; Round != FitRounds; ++Round) {
    double Sum = std::accumulate(X.begin(), X.end(), 0.0), Off = 0;
    for (uint32_t A = 0; A != N; ++A) {
      if (Margin[A] <= 0)
        continue;
      double Others = Sum - X[A];
      if (!(Others > 0))
        continue;
      double Ratio = Margin[A] / (X[A] * Others);
      Off = std::max(Off, std::fabs(Ratio - 1));
      double Next = X[A] * std::sqrt(Ratio);
      Sum += Next - X[A];
      X[A] = Next;
    }
    if (Off < FitWithin)
      break;
  }
  for (uint32_t A = 0; A != N; ++A)
    for (uint32_t B = 0; B != N; ++B)
      if (A != B)
        Expected[size_t(A) * N + B] = X[A] * X[B];
  return Expected;
}

StructureTest testStructure(std::span<const uint64_t> Adjacent, uint32_t N,
                            const StructureOptions &Options) {
  StructureTest Test;
  std::vector<double> Expected = quasiIndependent(Adjacent, N);
  std::vector<double> Cells;
  for (uint32_t A = 0; A != N; ++A)
    for (uint32_t B = A + 1; B != N; ++B) {
      size_t At = size_t(A) * N + B;
      if (!(Expected[At] > 0))
        continue;
      Cells.push_back(Expected[At]);
      Test.Pairs += Adjacent[At];
      Test.Statistic += statistic(double(Adjacent[At]), Expected[At]);
    }
  if (!Test.Pairs)
    return Test;
  Draws Random(Options.Seed);
  uint32_t Reached = 0;
  double Mean = 0;
  for (uint32_t I = 0; I != Options.Draws; ++I) {
    double G = 0;
    for (double E : Cells)
      G += statistic(double(Random.poisson(E)), E);
    Mean += G / Options.Draws;
    Reached += G >= Test.Statistic;
  }
  Test.P = (1.0 + Reached) / (1.0 + Options.Draws);
  Test.Bits = std::max(0.0, Test.Statistic - Mean) /
              (2 * std::log(2.0) * double(Test.Pairs));
  Test.Structured = Test.P <= Options.Alpha && Test.Bits >= Options.MinBits;
  return Test;
}

} // namespace kst
