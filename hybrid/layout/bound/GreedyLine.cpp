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
  // What i would add: price less touched lines, and use of the line.
  for (uint32_t I = 0; I < N; ++I) {
    Marginal[I] = Prices[I];
    Brings[I] = {};
    for (auto [Set, P, W] : Problem.setsOf(I)) {
      Marginal[I] -= Problem.weight(Set) * P;
      Brings[I].add(Problem.meeting(Set), P, W);
    }
  }
  LineUse Use;
  auto Adds = [&](uint32_t I) {
    return Marginal[I] - Problem.sharing(Use + Brings[I]) +
           Problem.sharing(Use);
  };
  double Value = -Charge, BestValue = -1e300;
  size_t BestSize = 0;
  uint32_t Room = Problem.lineBits();
  bool Large = false, StartsLine = false;
  auto Add = [&](uint32_t I) {
    Value += Adds(I);
    Use += Brings[I];
    Members.push_back(I);
    Banned[I] = true;
    Room -= Problem.item(I).Bits;
    Large |= Problem.item(I).Large;
    StartsLine |= Problem.item(I).StartsLine;
    for (auto [Set, P, W] : Problem.setsOf(I)) {
      const double Touched = Missing[Set] * P, Written = Unwritten[Set] * W;
      Missing[Set] *= 1 - P;
      Unwritten[Set] *= 1 - W;
      for (auto [J, Q, V] : Problem.itemsOf(Set)) {
        Marginal[J] += Problem.weight(Set) * Touched * Q;
        Brings[J].add(Problem.meeting(Set), -Touched * Q, -Written * V);
      }
      Work += Problem.itemsOf(Set).size();
    }
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
      double Gain = Adds(I) / (Item.Bits + 8.0);
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
    if (Best == N || Value + 2 * std::abs(BestValue) + Adds(Best) <
                         BestValue - std::abs(BestValue))
      break;
    Add(Best);
    if (Members.size() > BestSize + 3)
      break;
  }
  for (uint32_t I : Members)
    for (const LineProblem::Touch &T : Problem.setsOf(I))
      Missing[T.Other] = Unwritten[T.Other] = 1;
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
