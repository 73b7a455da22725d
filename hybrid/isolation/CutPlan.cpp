// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/CutPlan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>

namespace kst {

ChainCost::ChainCost(std::span<const ChainObject> Objects)
    : Churn(1), Heat(1), Pairs(1) {
  for (const ChainObject &Of : Objects) {
    Pairs.push_back(Pairs.back() + Of.Heat * Churn.back());
    Churn.push_back(Churn.back() + Of.Churn);
    Heat.push_back(Heat.back() + Of.Heat);
  }
}

double ChainCost::of(const Cuts &Cuts) const {
  double Sum = 0;
  size_t Begin = 0;
  for (uint32_t Cut : Cuts) {
    Sum += segment(Begin, Cut);
    Begin = Cut;
  }
  return Sum + segment(Begin, size());
}

namespace {

/// One more cut than the layer before: Now[J] is the least cost of objects
/// [0, J), and From[J] where its last segment begins.
class Layer {
public:
  Layer(const ChainCost &Cost, const std::vector<double> &Before)
      : Now(Before.size(), std::numeric_limits<double>::infinity()),
        From(Before.size()), Cost(Cost), Before(Before) {}
  void fill(size_t Low, size_t High, size_t FromLow, size_t FromHigh) {
    if (Low > High)
      return;
    const size_t Middle = (Low + High) / 2;
    size_t Best = FromLow;
    for (size_t I = FromLow; I <= std::min(Middle, FromHigh); ++I) {
      const double Is = Before[I] + Cost.segment(I, Middle);
      if (Is < Now[Middle]) {
        Now[Middle] = Is;
        Best = I;
      }
    }
    From[Middle] = uint32_t(Best);
    if (Middle > Low)
      fill(Low, Middle - 1, FromLow, Best);
    fill(Middle + 1, High, Best, FromHigh);
  }
  std::vector<double> Now;
  std::vector<uint32_t> From;

private:
  const ChainCost &Cost;
  const std::vector<double> &Before;
};

} // namespace

std::vector<Cuts> exactCuts(const ChainCost &Cost, unsigned Most) {
  const size_t N = Cost.size();
  std::vector<Cuts> Out{{}};
  if (N < 2)
    return Out;
  Most = unsigned(std::min<size_t>(Most, N - 1));
  std::vector<double> Last(N + 1);
  for (size_t J = 0; J <= N; ++J)
    Last[J] = Cost.segment(0, J);
  std::vector<std::vector<uint32_t>> From;
  for (unsigned K = 1; K <= Most; ++K) {
    Layer Next(Cost, Last);
    Next.fill(0, N, 0, N);
    Last = std::move(Next.Now);
    From.push_back(std::move(Next.From));
    Cuts Of;
    size_t At = N;
    for (size_t L = From.size(); L-- > 0;) {
      At = From[L][At];
      if (At)
        Of.push_back(uint32_t(At));
    }
    std::sort(Of.begin(), Of.end());
    Of.erase(std::unique(Of.begin(), Of.end()), Of.end());
    if (!Of.empty() && Of.back() == N)
      Of.pop_back();
    Out.push_back(std::move(Of));
  }
  return Out;
}

std::vector<uint32_t> greedyCuts(const ChainCost &Cost, unsigned Number) {
  struct Split {
    double Gain;
    size_t Begin, End, At;
    bool operator<(const Split &Other) const {
      return Gain != Other.Gain ? Gain < Other.Gain : Begin > Other.Begin;
    }
  };
  const auto Best = [&Cost](size_t Begin, size_t End) {
    Split Out{-1, Begin, End, Begin};
    for (size_t At = Begin + 1; At < End; ++At) {
      const double Gain = Cost.segment(Begin, End) - Cost.segment(Begin, At) -
                          Cost.segment(At, End);
      if (Gain > Out.Gain)
        Out = {Gain, Begin, End, At};
    }
    return Out;
  };
  std::priority_queue<Split> Queue;
  Queue.push(Best(0, Cost.size()));
  Cuts Out;
  while (Out.size() < Number && !Queue.empty()) {
    const Split Of = Queue.top();
    Queue.pop();
    if (Of.At == Of.Begin)
      continue;
    Out.push_back(uint32_t(Of.At));
    Queue.push(Best(Of.Begin, Of.At));
    Queue.push(Best(Of.At, Of.End));
  }
  return Out;
}

Cuts evenCuts(const ChainCost &Cost, unsigned Number) {
  Cuts Out;
  for (unsigned K = 1; K <= Number; ++K) {
    const size_t At = Cost.size() * K / (Number + 1);
    if (At && At < Cost.size() && (Out.empty() || Out.back() != At))
      Out.push_back(uint32_t(At));
  }
  return Out;
}

double leastCost(const ChainCost &Cost, unsigned Number) {
  double Least = Cost.segment(0, Cost.size());
  if (Cost.size() < 2)
    return Least;
  for (uint32_t Set = 0; Set < uint32_t(1) << (Cost.size() - 1); ++Set) {
    if (unsigned(std::popcount(Set)) > Number)
      continue;
    Cuts Of;
    for (uint32_t I = 0; I + 1 < Cost.size(); ++I)
      if (Set >> I & 1)
        Of.push_back(I + 1);
    Least = std::min(Least, Cost.of(Of));
  }
  return Least;
}

} // namespace kst
