// SPDX-License-Identifier: GPL-2.0-or-later
//
// LinePricing::greedy(): see LinePricing.h.

#include "hybrid/layout/bound/LinePricing.h"

#include <cmath>

namespace kst {

bool LinePricing::greedy(uint32_t Root, double Least, LineColumn &Found) {
  const uint32_t N = Problem.itemCount();
  std::vector<uint32_t> Members;
  std::vector<char> Banned(N);
  // Marginal[i]: value that i would add.
  for (uint32_t I = 0; I < N; ++I)
    Marginal[I] = Prices[I] - Problem.alone(I);
  double Value = -Charge, BestValue = -1e300;
  size_t BestSize = 0;
  uint32_t Room = Problem.lineBits();
  bool Large = false, StartsLine = false;
  auto Add = [&](uint32_t I) {
    Value += Marginal[I];
    Members.push_back(I);
    Banned[I] = true;
    Room -= Problem.item(I).Bits;
    Large |= Problem.item(I).Large;
    StartsLine |= Problem.item(I).StartsLine;
    for (auto [Set, P] : Problem.setsOf(I)) {
      double Share = Problem.weight(Set) * Missing[Set] * P;
      Missing[Set] *= 1 - P;
      for (auto [J, Q] : Problem.itemsOf(Set))
        Marginal[J] += Share * Q;
      Work += Problem.itemsOf(Set).size();
    }
    auto Clash = Problem.conflicts(I);
    for (uint32_t J = 0; J < N; ++J)
      Marginal[J] -= Clash[J];
    Work += N;
    if (Value > BestValue) {
      BestValue = Value;
      BestSize = Members.size();
    }
  };
  Add(Root);
  while (Room) {
    uint32_t Best = N;
    double BestGain = -1e300;
    for (uint32_t I = 0; I < N; ++I) {
      const LineItem &Item = Problem.item(I);
      if (Banned[I] || Item.Bits > Room || (Item.Large && Large) ||
          (Item.StartsLine && StartsLine))
        continue;
      double Gain = Marginal[I] / (Item.Bits + 8.0);
      if (Gain > BestGain) {
        bool Meets = true;
        for (uint32_t J : Members)
          Meets &= Problem.mayMeet(I, J);
        if (!Meets) {
          Banned[I] = true;
          continue;
        }
        BestGain = Gain;
        Best = I;
      }
    }
    Work += N;
    if (Best == N || Value + 2 * std::abs(BestValue) + Marginal[Best] <
                         BestValue - std::abs(BestValue))
      break;
    Add(Best);
    if (Members.size() > BestSize + 3)
      break;
  }
  for (uint32_t I : Members)
    for (auto [Set, P] : Problem.setsOf(I))
      Missing[Set] = 1;
  if (BestValue <= Least)
    return false;
  Members.resize(BestSize);
  double Sum = -Charge;
  for (uint32_t I : Members)
    Sum += Prices[I];
  Found.Items = std::move(Members);
  Found.Cost = Sum - BestValue;
  Found.LastShare = 1;
  return true;
}

} // namespace kst
