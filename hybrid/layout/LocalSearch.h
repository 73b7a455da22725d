// SPDX-License-Identifier: GPL-2.0-or-later
//
// Improves an order of move units by moving and swapping them, with exact
// prices. Deterministic: candidates in a fixed order, ties go to the first, and
// the effort is bounded by counted steps, never by time.

#pragma once

#include "hybrid/layout/OrderPrice.h"

#include <cstdint>
#include <vector>

namespace kst {

/// One walk through the legal orders. The price never rises. Keeps a
/// reference to the space; not safe to share between threads.
class LocalSearch {
public:
  /// `Start` must be legal.
  LocalSearch(const SearchSpace &Space, MoveUnitOrder Start);

  /// Moves move units (runs of up to three, groups) to other places and swaps
  /// them, hottest first, until nothing improves or `Budget` more steps are
  /// spent (see OrderPrice::work()).
  void improve(uint64_t Budget);

  /// Takes back moves that gain nothing: afterwards no single moved move unit
  /// can return to its declared neighbours at the same price.
  void settle(uint64_t Budget);

  const MoveUnitOrder &order() const { return Order; }
  double total() const { return State.total(); }
  /// Steps so far, see OrderPrice::work().
  uint64_t work() const { return State.work(); }

  /// Price if `Length` move units from position From on stood before the move
  /// unit that is now at position To (From + Length <= To or To <= From).
  /// Legality is the caller's business.
  double priceOfMove(size_t From, size_t Length, size_t To);
  /// Adopts the order of the last priceOf...() call.
  void adopt();

  /// The position that puts the move unit back beside its declared neighbours:
  /// just after the nearest earlier move unit that has not moved.
  size_t home(uint32_t MoveUnit, const std::vector<bool> &Moved) const;

private:
  double priceOfSwap(size_t A, size_t B);
  bool improveUnit(uint32_t MoveUnit, uint64_t Stop);
  bool improveGroup(const MoveUnitGroup &Group, uint64_t Stop);
  bool allowed() const;
  bool movableRun(size_t From, size_t Length) const;
  bool worthTrying(size_t At) const;

  const SearchSpace &Space;
  MoveUnitOrder Order, Trial;
  std::vector<uint32_t> Position;
  OrderPrice State;
  double Tolerance; ///< smaller differences are rounding
};

} // namespace kst
