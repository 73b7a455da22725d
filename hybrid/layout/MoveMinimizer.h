// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a good order back towards the declared one: nearly the same gain with
// fewer moves.

#pragma once

#include "hybrid/layout/OrderPrice.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kst {

/// A walk through the legal orders on which the number of moves never rises and
/// the price stays within a limit. A move unit alone that goes home shifts all
/// that lies between; so another of its size may take its place, move units of
/// one shape may trade places, and home is any place between the nearest move
/// units on both sides that stay. For each move unit in turn the step that
/// costs least per move saved is taken, cheap ones first. Keeps a reference to
/// the space. Deterministic.
class MoveMinimizer {
public:
  /// `From` must be legal.
  MoveMinimizer(const SearchSpace &Space, MoveUnitOrder From);

  /// `Limit`: SearchSpace::price() of the dearest order allowed. Ends when no
  /// step is left or `Budget` steps (OrderPrice::work()) are spent.
  void run(double Limit, uint64_t Budget);

  const MoveUnitOrder &order() const { return Order; }
  uint32_t moves() const { return Moves; }

private:
  /// The step to take next.
  struct Step {
    MoveUnitOrder Order;
    double Price = 0, Rate = 0; ///< Rate: paid per move saved
    std::vector<bool> Moved;
    uint32_t Moves = 0;
  };

  /// Positions before which a move unit would be at home.
  struct Home {
    size_t First = 0, Last = 0;
  };

  uint64_t work() const { return Price.work() + Counted; }
  bool spent() const { return work() >= Stop; }
  uint32_t weight(uint32_t U) const { return Rules.bricks()[U].moves(); }
  void findHomes();
  void consider(uint32_t MostSaved);
  void considerHome(uint32_t U);
  void considerTrades(uint32_t U);
  void take(Step Next);

  const SearchSpace &Space;
  const Constraints &Rules;
  MoveUnitOrder Order, Trial;
  OrderPrice Price;
  std::vector<bool> Moved;
  std::vector<size_t> Position;
  std::vector<Home> Homes;
  uint32_t Moves;
  double Limit = 0;
  std::optional<Step> Best;
  uint64_t Stop = 0, Counted = 0;
};

} // namespace kst
