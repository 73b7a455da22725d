// SPDX-License-Identifier: GPL-2.0-or-later
//
// Iterated local search over packings: leaves local optima that no move or
// swap of single move units leaves. What it finds are packings, cheap by the
// sets of one configuration; the caller prices their orders.

#pragma once

#include "hybrid/layout/Packing.h"

#include <cstdint>
#include <random>
#include <vector>

namespace kst {

/// Deterministic for a seed. Keeps a reference to the space; not safe to share
/// between threads.
class PackingSearch {
public:
  PackingSearch(const SearchSpace &Space, const MoveUnitOrder &Start,
                Packing::Mode Kind, uint64_t Seed);

  /// Improves, then upsets a part and improves again what is around it, until
  /// `Budget` steps (Packing::work()) are spent or nothing has helped for
  /// long. An upset stays if the packing
  /// is hardly worse than the best: by less than half a percent at first, by
  /// nothing in the end.
  void run(uint64_t Budget);

  /// Change of the cost from the start to the best packing, <= 0.
  double gain() const { return BestChange; }
  /// The best packing as a legal order.
  MoveUnitOrder order();
  uint64_t work() const { return State.work(); }

private:
  uint64_t below(uint64_t Bound);
  uint32_t partner(uint32_t Item);
  void shift(uint32_t Item, uint32_t Line, double Delta);
  void eject(uint32_t Item);
  void touch(uint32_t Line);
  bool mayTrade(uint32_t A, uint32_t B);
  bool improveItem(uint32_t Item);
  void improve(uint64_t Stop);
  bool insertEjected();
  bool pullTo(uint32_t Item, uint32_t Line);
  bool remakeLines(uint32_t A, uint32_t B);
  bool scatterSet(uint32_t Set);
  bool trade(uint32_t Item, uint32_t Line);
  bool upset();
  void undo();

  Packing State;
  std::mt19937_64 Random;
  double Cost = 0; ///< of the start; what a worse packing may cost more
  double Change = 0, BestChange = 0;
  std::vector<uint32_t> Movable, BestLines;
  std::vector<std::vector<uint32_t>> SetItems;    ///< movable items of each set
  std::vector<std::pair<uint32_t, uint32_t>> Log; ///< item, line before
  std::vector<uint32_t> Ejected, Queue;
  std::vector<bool> Queued;
};

} // namespace kst
