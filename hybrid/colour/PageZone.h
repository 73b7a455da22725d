// SPDX-License-Identifier: GPL-2.0-or-later
//
// The buddy allocator's free lists of one zone, as Linux 6.12 keeps them
// (mm/page_alloc.c); or, with colours, one list for each colour.

#pragma once

#include "hybrid/colour/MinimalBitset.h"
#include "hybrid/colour/PageLinks.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace kst {

inline constexpr unsigned PageOrders = 11; ///< 0 to MAX_PAGE_ORDER
/// enum migratetype; those that a machine without CMA has.
enum : uint8_t { Unmovable, Movable, Reclaimable, HighAtomic };
inline constexpr unsigned PageTypes = 4;
inline constexpr unsigned CpuPageTypes = 3; ///< that a CPU's list can have

/// Colours of blocks. One colour: lists as the kernel has them.
struct ColourLists {
  uint32_t Number = 1; ///< a power of two
  unsigned Order = 0;  ///< a colour is that of 2^Order pages
};

/// Where and how a zone lies. Frames are below 2^32 - 1.
struct ZoneShape {
  uint32_t Start = 0, Frames = 0;
  unsigned BlockOrder = 9; ///< of a pageblock
};

/// Memory: 11 bytes a frame.
class PageZone {
public:
  explicit PageZone(const ZoneShape &Shape, ColourLists Colours = {});

  enum class At : uint8_t { Used, Free, CpuList };
  bool has(uint32_t Frame) const { return Frame - Shape.Start < Shape.Frames; }
  /// Of a page that begins a block of that order, or is used.
  At where(uint32_t Frame) const { return At(Pages[index(Frame)].Where); }
  unsigned order(uint32_t Frame) const { return Pages[index(Frame)].Order; }
  uint8_t blockType(uint32_t Frame) const { return Types[block(Frame)]; }
  void setBlockType(uint32_t Frame, uint8_t Type) {
    Types[block(Frame)] = Type;
  }
  /// Pages on free lists.
  uint64_t freePages() const { return Free; }
  uint64_t freePages(unsigned Order) const { return Blocks[Order] << Order; }

  /// A block goes to the end of its list as it is, which is how lists are
  /// filled from a recording.
  void append(uint32_t Frame, unsigned Order, uint8_t Type);

  enum class Place : uint8_t { Usual, Front, Tail };
  /// __free_one_page(): merges with its buddies. Usual: at the front, or at the
  /// tail if a larger block is about to form.
  void free(uint32_t Frame, unsigned Order, Place To = Place::Usual);

  /// __rmqueue(): a block of that order, NoFrame if there is none. Blocks of
  /// other types are claimed or stolen as the kernel does; NoFragment: only
  /// whole pageblocks.
  uint32_t take(unsigned Order, uint8_t Type, bool NoFragment);
  /// The block whose first page has the colour; of the type or else another,
  /// which keeps its type. NoFrame if there is none.
  uint32_t takeColour(unsigned Order, uint8_t Type, uint32_t Colour);
  /// Just this block out of the free lists; false if not all of it is free.
  bool takeExactly(uint32_t Frame, unsigned Order);
  /// First block of the smallest order of which there is one, of any type.
  uint32_t takeAny(unsigned Order, uint8_t Type);

  /// What a used block is used for: decides whether others claim its pageblock.
  void use(uint32_t Frame, unsigned Order, uint8_t Type);

  uint32_t colourOf(uint32_t Frame) const {
    return (Frame >> Colours.Order) & (Colours.Number - 1);
  }
  const ZoneShape &shape() const { return Shape; }
  const ColourLists &colours() const { return Colours; }

  /// Swaps blocks of the largest order with others by chance, as
  /// __shuffle_zone() does.
  void shuffle(const std::function<uint64_t()> &Random);
  /// Where blocks of the largest order go when they are freed; null: as usual.
  void pickTail(std::function<bool()> Picks) { PicksTail = std::move(Picks); }

  /// Lists of blocks that are on no free list: those of a CPU.
  void pushFront(PageList &To, uint32_t Frame, unsigned Order) {
    Links.pushFront(To, Frame);
    mark(Frame, Order, At::CpuList);
  }
  void pushBack(PageList &To, uint32_t Frame, unsigned Order) {
    Links.pushBack(To, Frame);
    mark(Frame, Order, At::CpuList);
  }
  void unlink(PageList &From, uint32_t Frame) {
    Links.unlink(From, Frame);
    Pages[index(Frame)].Where = uint8_t(At::Used);
  }
  /// As PageLinks does it.
  void rotate(PageList &Of, uint32_t First) { Links.rotate(Of, First); }

private:
  struct Page {
    uint8_t Order : 4, Where : 2, MovableUse : 1;
  };
  uint32_t index(uint32_t Frame) const { return Frame - Shape.Start; }
  uint32_t block(uint32_t Frame) const {
    return (Frame >> Shape.BlockOrder) - (Shape.Start >> Shape.BlockOrder);
  }
  void mark(uint32_t Frame, unsigned Order, At Where) {
    Page &P = Pages[index(Frame)];
    P.Order = Order;
    P.Where = uint8_t(Where);
  }
  bool isFree(uint32_t Frame, unsigned Order) const {
    return has(Frame) && where(Frame) == At::Free && order(Frame) == Order;
  }
  uint32_t keys(unsigned Order) const {
    const uint32_t Shift = Order > Colours.Order ? Order - Colours.Order : 0;
    return Colours.Number >> Shift ? Colours.Number >> Shift : 1;
  }
  /// Which list of its order and type a block is on.
  uint32_t key(uint32_t Frame, unsigned Order) const {
    return (Frame >> (Order > Colours.Order ? Order : Colours.Order)) &
           (keys(Order) - 1);
  }
  PageList &list(unsigned Order, uint8_t Type, uint32_t Key) {
    return Lists[Order][Type][Key];
  }
  uint32_t first(unsigned Order, uint8_t Type) const;
  void put(uint32_t Frame, unsigned Order, uint8_t Type, bool Tail);
  void remove(uint32_t Frame, unsigned Order);
  void expand(uint32_t Frame, unsigned Low, unsigned High, uint8_t Type);
  uint32_t takeSmallest(unsigned Order, uint8_t Type);
  uint32_t claim(unsigned Order, uint8_t Type, bool NoFragment);
  uint32_t claimBlock(uint32_t Frame, unsigned From, unsigned Order,
                      uint8_t Type);
  uint32_t steal(unsigned Order, uint8_t Type);
  int fallback(unsigned Order, uint8_t Type) const;
  void setTypes(uint32_t Frame, unsigned Order, uint8_t Type);

  ZoneShape Shape;
  ColourLists Colours;
  std::vector<Page> Pages;
  PageLinks Links;
  std::vector<uint8_t> Types; ///< by pageblock
  std::array<std::array<std::vector<PageList>, PageTypes>, PageOrders> Lists;
  /// Which of these have any block.
  std::array<std::array<MinimalBitset, PageTypes>, PageOrders> Filled;
  std::array<std::array<uint64_t, PageTypes>, PageOrders> Listed{};
  std::array<uint64_t, PageOrders> Blocks{};
  uint64_t Free = 0;
  std::function<bool()> PicksTail;
};

} // namespace kst
