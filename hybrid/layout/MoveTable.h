// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cheapest order known for each number of moves, and the search that
// varies these until none of them makes another one cheaper.

#pragma once

#include "hybrid/layout/OrderVariation.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

/// Prices rise nowhere with moves: an order that costs no less than one with
/// fewer moves is not kept. Keeps a reference to the space. Deterministic.
class MoveTable {
public:
  struct Entry {
    bool Known = false;
    bool Varied = false; ///< its neighbours have been looked at
    double Price = 0;
    MoveUnitOrder Order;
  };

  /// Orders with more than `MaxMoves` moves are not kept.
  MoveTable(const SearchSpace &Space, uint32_t MaxMoves);

  /// Keeps the order if no known one with as few moves is as cheap. `Price` is
  /// SearchSpace::price().
  void offer(const MoveUnitOrder &Order, double Price);
  void offer(const MoveUnitOrder &Order) { offer(Order, Space.price(Order)); }

  /// Varies the entries, fewest moves first: once with what looked best around
  /// the declared order and around entries before, then with everything, until
  /// all have been or `Budget` steps are spent. `Guide`: an order whose lines
  /// suggest which move units to take up together.
  void search(const MoveUnitOrder &Guide, uint64_t Budget);

  /// What an order with so many moves must cost less than to be kept.
  double priceWithin(uint32_t Moves) const;
  /// By number of moves.
  const std::vector<Entry> &entries() const { return Entries; }
  uint64_t work() const { return Work; }

private:
  void vary(uint32_t Moves, uint64_t Steps);
  void look(uint64_t Steps);
  void varyQuickly(uint32_t Moves, uint64_t Steps);
  void findGroups(const MoveUnitOrder &Guide);
  void findPartners();

  const SearchSpace &Space;
  std::vector<Entry> Entries;
  std::vector<double> Within; ///< cheapest price with at most so many moves
  std::vector<std::vector<uint32_t>> Groups;   ///< move units that share a line
  std::vector<std::vector<uint32_t>> Partners; ///< by move unit: used together
  std::vector<Step> Tried; ///< with what they gained when they were tried last
  double Tolerance = 0;    ///< smaller differences are rounding
  uint64_t Work = 0;
};

} // namespace kst
