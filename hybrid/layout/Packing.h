// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which line each active move unit starts on, without the order inside the
// lines and without the cold move units that fill them up. In an order, moving
// one move unit shifts all behind it; here it changes two lines, and costs what
// the sets of this move unit say. For searches that try much; the order that
// comes of it is priced exactly by others.

#pragma once

#include "hybrid/layout/SearchSpace.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kst {

/// Only the first configuration counts, instances start on a line, a move unit
/// is on the line of its first byte. Keeps a reference to the space; not safe
/// to share between threads.
class Packing {
public:
  enum class Mode {
    Repack,  ///< items go wherever there is room, cold move units give way
    Exchange ///< items trade places with items and cold move units of their
             ///< shape: nothing else moves, so the order costs what is counted
             ///< here
  };
  /// The lines of `Order`, which must be legal.
  Packing(const SearchSpace &Space, const MoveUnitOrder &Order, Mode Kind);
  Mode mode() const { return Kind; }

  /// MoveUnits that a set touches; in Exchange all move units, and one may only
  /// go where one of its shape makes room. With Fixed it stays on its line:
  /// immovable fields, anchors, move units longer than a line, move units on
  /// two lines.
  struct Item {
    /// Segment: see Packing::Segments.
    uint32_t MoveUnit = 0, Segment = 0, Line = 0;
    uint64_t Bytes = 0;
    bool Fixed = false;
    struct Touch {
      uint32_t Set;
      double P, W; ///< chance of a touch, of a write
    };
    std::vector<Touch> Sets;
  };
  const std::vector<Item> &items() const { return Items; }
  uint32_t lineCount() const { return Lines; }
  /// Movable items on the line, in no particular order.
  const std::vector<uint32_t> &on(uint32_t Line) const { return Members[Line]; }
  /// Bytes of the line that the segment may use and no item has.
  int64_t room(uint32_t Segment, uint32_t Line) const {
    return Room[Segment * Lines + Line];
  }
  bool fits(uint32_t Item, uint32_t Line) const {
    return room(Items[Item].Segment, Line) >=
           static_cast<int64_t>(Items[Item].Bytes);
  }

  /// What the item adds to the cost of its line.
  double own(uint32_t Item);
  /// What it would add to a line that does not have it.
  double join(uint32_t Item, uint32_t Line);
  /// Of that, the lines touched. No less if some item were not there.
  double joinLines(uint32_t Item, uint32_t Line) {
    return added(Items[Item], Line).Lines;
  }
  /// Change of the cost if two items on different lines trade places. Sizes are
  /// the caller's business.
  double swap(uint32_t A, uint32_t B);

  /// True if the two are movable and of one size, alignment and segment.
  bool alike(uint32_t A, uint32_t B) const;
  /// Moves a movable item; the line need not have room.
  void move(uint32_t Item, uint32_t Line);

  /// Elementary steps so far; tick() is one that is not counted otherwise.
  uint64_t work() const { return Work; }
  void tick() { ++Work; }

  /// The packing as an order, legal but for freaks: line by line the items by
  /// alignment, what is fixed at its old place if possible, the cold move units
  /// where they fill lines up, the rest of them last.
  MoveUnitOrder order() const;

private:
  struct Chance {
    double Product = 1;   ///< of 1 - p, over items with p < 1
    uint32_t Certain = 0; ///< items with p = 1
    double miss() const { return Certain ? 0 : Product; }
    double missWithout(double P) const {
      if (P >= 1)
        return Certain > 1 ? 0 : Product;
      return Certain ? 0 : Product / (1 - P);
    }
    void add(double P);
    void remove(double P);
  };
  struct SetOnLine {
    Chance Touched, Written;
  };
  /// What items add to a line: expected lines touched, and use.
  struct Added {
    double Lines = 0;
    LineUse Use;
  };
  SetOnLine &chance(uint32_t Line, uint32_t Set) {
    return Chances[Line * Sets + Set];
  }
  void join(const Item &It, uint32_t Line);
  void leave(const Item &It, uint32_t Line);
  Added added(const Item &It, uint32_t Line);
  /// What item In would add to the line if Out were not there.
  Added addedWithout(const Item &In, uint32_t Line, uint32_t Out);
  /// Cost of a change of the line's use.
  double price(uint32_t Line, const LineUse &Change);
  void addItems();
  /// True for move units that may not be taken elsewhere.
  bool post(uint32_t MoveUnit) const;
  MoveUnitOrder repacked() const;
  MoveUnitOrder exchanged() const;
  void measureRoom(uint64_t SizeBytes);
  void put(uint32_t Item, uint32_t Line);

  const SearchSpace &Space;
  const MoveUnitOrder Start; ///< fixed move units keep their order in it
  size_t Sets = 0;
  uint32_t Lines = 0;
  const Mode Kind;
  /// Per move unit, in Start: move units of one segment that are adjacent
  /// there. Where a group was crossed, these are parts of the segments of the
  /// rules.
  std::vector<uint32_t> Segments;
  std::vector<uint64_t> StartByte; ///< per move unit, in Start
  std::vector<Item> Items;
  std::vector<SetOnLine> Chances; ///< [line * sets + set]
  std::vector<LineUse> Uses;      ///< per line
  std::vector<double> Lost;       ///< per line; negative: not known
  std::vector<double> Own;        ///< per item; negative: not known
  std::vector<Added> OwnAdded;    ///< per item, where Own is known
  std::vector<int64_t> Room;      ///< [segment * lines + line]
  std::vector<std::vector<uint32_t>> Members;
  std::vector<std::pair<double, double>>
      Gone; ///< scratch: per set, of GoneItem
  uint32_t GoneItem = ~0u;
  uint64_t Work = 0;
};

} // namespace kst
