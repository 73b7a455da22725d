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

class Partition {
public:
  Partition(std::span<const uint64_t> Seen, uint32_t N) : N(N), Worth(N * N) {
    std::vector<double> Expected = quasiIndependent(Seen, N);
    for (size_t I = 0; I != Worth.size(); ++I)
      Worth[I] = double(Seen[I]) - Expected[I] - std::sqrt(Expected[I]);
    for (uint32_t F = 0; F != N; ++F) {
      bool Any = false;
      for (uint32_t G = 0; G != N; ++G)
        Any |= Seen[size_t(F) * N + G] > 0;
      Group.push_back(Any ? F : ~0u);
    }
  }

  std::vector<std::vector<uint32_t>> run() {
    do
      merge();
    while (move());
    std::vector<std::vector<uint32_t>> Found(N);
    for (uint32_t F = 0; F != N; ++F)
      if (Group[F] != ~0u)
        Found[Group[F]].push_back(F);
    std::erase_if(Found, [](const auto &G) { return G.empty(); });
    std::sort(Found.begin(), Found.end());
    return Found;
  }

private:
  /// The best pair of groups as long as there is one that gains.
  void merge() {
    std::vector<double> Between(size_t(N) * N);
    for (uint32_t A = 0; A != N; ++A)
      for (uint32_t B = 0; B != N; ++B)
        if (A != B && Group[A] != ~0u && Group[B] != ~0u &&
            Group[A] != Group[B])
          Between[size_t(Group[A]) * N + Group[B]] += Worth[size_t(A) * N + B];
    for (;;) {
      double Best = 1e-9;
      uint32_t Into = ~0u, From = ~0u;
      for (uint32_t A = 0; A != N; ++A)
        for (uint32_t B = A + 1; B != N; ++B)
          if (Between[size_t(A) * N + B] > Best) {
            Best = Between[size_t(A) * N + B];
            Into = A;
            From = B;
          }
      if (Into == ~0u)
        return;
      for (uint32_t G = 0; G != N; ++G) {
        double Sum =
            Between[size_t(Into) * N + G] + Between[size_t(From) * N + G];
        if (G == Into || G == From)
          Sum = 0;
        Between[size_t(Into) * N + G] = Between[size_t(G) * N + Into] = Sum;
        Between[size_t(From) * N + G] = Between[size_t(G) * N + From] = 0;
      }
      for (uint32_t &G : Group)
        if (G == From)
          G = Into;
    }
  }

  /// Each field to the group where it is worth most; true if any moved.
  bool move() {
    bool Any = false;
    for (unsigned Round = 0; Round != 50; ++Round) {
      bool Now = false;
      for (uint32_t F = 0; F != N; ++F) {
        if (Group[F] == ~0u)
          continue;
        std::vector<double> To(N);
        std::vector<uint32_t> Size(N);
        for (uint32_t G = 0; G != N; ++G)
          if (Group[G] != ~0u) {
            ++Size[Group[G]];
            if (G != F)
              To[Group[G]] += Worth[size_t(F) * N + G];
          }
        uint32_t Best = Group[F];
        double Most = To[Best] + 1e-9;
        for (uint32_t G = 0; G != N; ++G)
          if (To[G] > Most && (Size[G] || G == F)) {
            Most = To[G];
            Best = G;
          }
        if (Best == Group[F] && Most < 0 && Size[Best] > 1)
          for (uint32_t G = 0; G != N; ++G)
            if (!Size[G]) { // better alone
              Best = G;
              break;
            }
        if (Best != Group[F]) {
          Group[F] = Best;
          Now = Any = true;
        }
      }
      if (!Now)
        break;
    }
    return Any;
  }

  uint32_t N;
  std::vector<double> Worth;
  std::vector<uint32_t> Group;
};

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

std::vector<std::vector<uint32_t>>
groupsAboveChance(std::span<const uint64_t> Seen, uint32_t N) {
  return Partition(Seen, N).run();
}

} // namespace kst
