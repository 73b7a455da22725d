// SPDX-License-Identifier: GPL-2.0-or-later
//
// The neighbours of one order: what becomes of it when move units are put down,
// taken up, taken up together, or trade places. The frontier is searched with
// these.

#pragma once

#include "hybrid/layout/OrderPrice.h"
#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <vector>

namespace kst {

class MoveTable;

/// One way to take up move units of some order.
struct Step {
  uint32_t MoveUnit = 0; ///< the first of the move units
  uint32_t Length = 0; ///< move units from there on; 0: MoveUnit trades places
  uint32_t Before = 0; ///< where they go, brickCount(): last; or the partner
  double Gain = 0;     ///< saved per move, where it was tried last
};

/// Tries neighbours of one order and offers all that could be worth keeping to
/// a table. Each function stops when the steps (OrderPrice::work()) are spent.
/// Keeps references to the space and the table.
class OrderVariation {
public:
  OrderVariation(const SearchSpace &Space, MoveTable &Table, MoveUnitOrder From,
                 uint64_t Steps);

  uint64_t work() const { return Price.work(); }

  /// Each moved move unit goes home.
  void putDown();
  /// Each moved move unit goes elsewhere; coarsely: to the start of some line.
  void replace(bool Coarsely);
  /// One more move unit that matters, or a run of `Length`, is taken up. Tells,
  /// for every move unit or run, the best places on different lines to `Tried`.
  void takeUp(uint32_t Length, std::vector<Step> *Tried = nullptr);
  /// One that does not matter is taken up: it can make room.
  void takeUpCold();
  /// Two move units of the same shape trade places: nothing else moves.
  void exchange(std::vector<Step> *Tried = nullptr);
  /// All move units of a group, of one segment, go to the start of some line.
  void gather(const std::vector<uint32_t> &Group);
  /// Takes the step if the order allows it and it takes something up; notes
  /// what it gains here.
  void repeat(Step &Again);
  /// MoveUnit, not moved yet, goes to both sides of one that has moved.
  void follow(uint32_t MoveUnit, uint32_t Moved);

  bool moved(uint32_t MoveUnit) const { return Moved[MoveUnit]; }

private:
  struct Place {
    size_t At;     ///< before the move unit at this position
    uint64_t Line; ///< of that move unit
    bool Opens;    ///< a line, or a stretch between move units that stay
  };

  bool movable(uint32_t U) const { return Rules.bricks()[U].Movable; }
  uint32_t weight(uint32_t U) const { return Rules.bricks()[U].moves(); }
  uint32_t newMoves(size_t From, uint32_t Length) const;
  void findPlaces();
  void moveEverywhere(size_t From, uint32_t Length, uint32_t Least,
                      std::vector<Step> *Tried = nullptr);
  bool moveTo(size_t From, uint32_t Length, size_t To);
  double consider(uint32_t Least);
  bool spent() const { return Price.work() >= Steps; }

  const SearchSpace &Space;
  const Constraints &Rules;
  MoveTable &Table;
  MoveUnitOrder Order, Trial;
  OrderPrice Price;
  uint64_t Steps;
  std::vector<bool> Moved;
  uint32_t Moves;
  std::vector<uint32_t> Position;
  std::vector<Place> Places;
  bool Coarse = false; ///< only places that open a line
};

} // namespace kst
