// SPDX-License-Identifier: GPL-2.0-or-later
//
// All lines that a layout of few items can have if it costs little more than
// the bound of the program over lines. ExactPartition.h has the proof.

#pragma once

#include "hybrid/layout/bound/LineProblem.h"
#include "hybrid/layout/bound/PartitionBound.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace kst {

/// A set of items, by bit.
using ItemMask = uint32_t;
constexpr ItemMask bitOf(uint32_t I) { return ItemMask(1) << I; }
/// Calls Visit with every item of the set, ascending.
template <typename Visitor> void forEachItem(ItemMask Items, Visitor Visit) {
  for (; Items; Items &= Items - 1)
    Visit(static_cast<uint32_t>(std::countr_zero(Items)));
}

/// What a line holds.
struct ListedLine {
  ItemMask Whole = 0, Part = 0;
  double Cost = 0;
  double Base = 0;   ///< cost + charge - prices of the whole items
  double Least = 0;  ///< slack, each crossing item having all room for itself
  uint32_t Room = 0; ///< bits left for the parts
};

/// Keeps references to its arguments. Not safe to share between threads.
class LineList {
public:
  LineList(const LineProblem &Problem, const PartitionBound &Program,
           uint64_t Budget);

  /// Lists the lines of slack up to Slack; false if there are too many, or if
  /// the budget is spent.
  bool list(double Slack);
  std::vector<ListedLine> &lines() { return Lines; }
  const std::vector<ListedLine> &lines() const { return Lines; }

  /// Elementary steps so far; whoever uses the list counts here as well.
  uint64_t Work = 0;
  bool spent() const { return Work > Budget; }

  double price(uint32_t I) const { return Prices[I]; }
  uint32_t bits(uint32_t I) const { return Problem.item(I).Bits; }
  uint32_t grain(uint32_t I) const { return Problem.item(I).Grain; }
  /// Bits of a crossing item that one of its lines holds at most.
  uint32_t mostPart(uint32_t I, uint32_t Room) const {
    return std::min(Room, bits(I) - grain(I));
  }
  double partPrice(uint32_t I, uint32_t Bits) const {
    return price(I) * Bits / bits(I);
  }
  /// The flexible array, if there is one.
  ItemMask tail() const { return Tail; }
  /// False for a flexible array by itself.
  bool counts(ItemMask Whole, ItemMask Part) const {
    return !Tail || Whole != Tail || Part;
  }

private:
  /// A line under construction.
  struct Chosen {
    ItemMask Whole = 0, Part = 0, Meets = ~ItemMask(0);
    uint32_t Used = 0, Grains = 0, MostParts = 2;
    double Cost = 0, Price = 0; ///< price: of the whole items
    LineUse Use;
  };
  /// What the items that may still join can bring.
  struct Outlook {
    double Gain[32] = {}; ///< at most, by item
    ItemMask Open = 0;    ///< items that may join
    double Most = 0;      ///< value of any line with them, at most
    double PerBit = 0;    ///< the knapsack's price of a bit
  };

  Chosen with(const Chosen &Line, uint32_t I, bool Part) const;
  void offer(const Chosen &Line);
  bool joinsWhole(const Chosen &Line, uint32_t I) const;
  bool joinsInPart(const Chosen &Line, uint32_t I) const;
  Outlook outlook(const Chosen &Line, uint32_t From);
  void extend(const Chosen &Line, uint32_t From);
  void branch(const Chosen &Line, uint32_t I, bool Whole, bool Part);

  const LineProblem &Problem;
  const uint32_t N;
  const uint64_t Budget;
  const std::vector<double> &Prices;
  const double Charge, Bound;
  ItemMask Tail = 0;
  bool TailDone = false, Overrun = false;
  double Threshold = 0;
  std::vector<ItemMask> Meets;
  /// Per set: weight * chance that no item of the line so far is touched,
  /// chance that none is written.
  std::vector<double> Weight, Unwritten;
  std::vector<double> Left, LeftUnwritten, Stack;
  std::vector<ListedLine> Lines;
};

} // namespace kst
