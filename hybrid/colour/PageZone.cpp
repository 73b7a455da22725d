// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageZone.h"

#include <algorithm>
#include <utility>

namespace kst {
namespace {

constexpr unsigned LargestOrder = PageOrders - 1;
/// `fallbacks` of mm/page_alloc.c.
constexpr uint8_t Fallbacks[CpuPageTypes][2] = {
    {Reclaimable, Movable}, {Reclaimable, Unmovable}, {Unmovable, Movable}};

} // namespace

PageZone::PageZone(const ZoneShape &Of, ColourLists OfColours)
    : Shape(Of), Colours(OfColours), Links(Of.Start, Of.Frames) {
  Pages.resize(Shape.Frames);
  if (Shape.Frames)
    Types.resize(block(Shape.Start + Shape.Frames - 1) + 1, Movable);
  for (unsigned Order = 0; Order < PageOrders; ++Order) {
    for (auto &Of : Lists[Order])
      Of.resize(keys(Order));
    Filled[Order].fill(MinimalBitset(keys(Order)));
  }
}

// ---- lists

void PageZone::put(uint32_t Frame, unsigned Order, uint8_t Type, bool Tail) {
  const uint32_t Key = key(Frame, Order);
  PageList &To = list(Order, Type, Key);
  if (!To.Number)
    Filled[Order][Type].add(Key);
  Tail ? Links.pushBack(To, Frame) : Links.pushFront(To, Frame);
  mark(Frame, Order, At::Free);
  ++Listed[Order][Type];
  ++Blocks[Order];
  Free += 1u << Order;
}

void PageZone::remove(uint32_t Frame, unsigned Order) {
  const uint8_t Type = blockType(Frame);
  const uint32_t Key = key(Frame, Order);
  PageList &Of = list(Order, Type, Key);
  unlink(Of, Frame);
  if (!Of.Number)
    Filled[Order][Type].remove(Key);
  --Listed[Order][Type];
  --Blocks[Order];
  Free -= 1u << Order;
}

uint32_t PageZone::first(unsigned Order, uint8_t Type) const {
  const uint32_t Key = Filled[Order][Type].least();
  return Key == MinimalBitset::None ? NoFrame : Lists[Order][Type][Key].First;
}

void PageZone::append(uint32_t Frame, unsigned Order, uint8_t Type) {
  setTypes(Frame, Order, Type);
  put(Frame, Order, Type, /*Tail=*/true);
}

void PageZone::setTypes(uint32_t Frame, unsigned Order, uint8_t Type) {
  const uint32_t Step = 1u << Shape.BlockOrder;
  for (uint32_t I = 0; I < 1u << Order; I += Step)
    setBlockType(Frame + I, Type);
}

// ---- frees

void PageZone::free(uint32_t Frame, unsigned Order, Place To) {
  const uint8_t Type = blockType(Frame);
  for (uint32_t I = 0; I < 1u << Order; ++I)
    Pages[index(Frame + I)] = {};
  auto Mergeable = [](uint8_t Type) { return Type < CpuPageTypes; };
  for (; Order < LargestOrder; ++Order) {
    const uint32_t Buddy = Frame ^ 1u << Order;
    if (!isFree(Buddy, Order))
      break;
    const uint8_t BuddyType = blockType(Buddy);
    if (Order >= Shape.BlockOrder && Type != BuddyType &&
        !(Mergeable(Type) && Mergeable(BuddyType)))
      break;
    remove(Buddy, Order);
    if (BuddyType != Type)
      setTypes(Buddy, Order, Type);
    Frame &= Buddy;
  }
  bool Tail = To == Place::Tail;
  if (To == Place::Usual) {
    // buddy_merge_likely()
    const uint32_t Higher = Frame & ~(1u << Order);
    Tail = Order == LargestOrder && PicksTail
               ? PicksTail()
               : Order < LargestOrder - 1 &&
                     isFree(Higher ^ 1u << (Order + 1), Order + 1);
  }
  put(Frame, Order, Type, Tail);
}

// ---- allocations

void PageZone::expand(uint32_t Frame, unsigned Low, unsigned High,
                      uint8_t Type) {
  while (High > Low) {
    --High;
    put(Frame + (1u << High), High, Type, /*Tail=*/false);
  }
}

uint32_t PageZone::takeSmallest(unsigned Order, uint8_t Type) {
  for (unsigned From = Order; From < PageOrders; ++From) {
    const uint32_t Frame = first(From, Type);
    if (Frame == NoFrame)
      continue;
    remove(Frame, From);
    expand(Frame, Order, From, Type);
    return Frame;
  }
  return NoFrame;
}

/// find_suitable_fallback(): which type; -1: none has a block of that order.
int PageZone::fallback(unsigned Order, uint8_t Type) const {
  for (uint8_t Other : Fallbacks[Type])
    if (Listed[Order][Other])
      return Other;
  return -1;
}

/// __rmqueue_claim(): from the largest order down.
uint32_t PageZone::claim(unsigned Order, uint8_t Type, bool NoFragment) {
  const unsigned Least = NoFragment ? std::max(Order, Shape.BlockOrder) : Order;
  for (unsigned From = PageOrders; From-- > Least;) {
    const int Other = fallback(From, Type);
    if (Other < 0)
      continue;
    // can_steal_fallback()
    if (From < Shape.BlockOrder / 2 && Type != Reclaimable && Type != Unmovable)
      break;
    const uint32_t Frame =
        claimBlock(first(From, uint8_t(Other)), From, Order, Type);
    if (Frame != NoFrame)
      return Frame;
  }
  return NoFrame;
}

/// try_to_steal_block()
uint32_t PageZone::claimBlock(uint32_t Frame, unsigned From, unsigned Order,
                              uint8_t Type) {
  const uint8_t Before = blockType(Frame);
  if (From >= Shape.BlockOrder) {
    remove(Frame, From);
    setTypes(Frame, From, Type);
    expand(Frame, Order, From, Type);
    return Frame;
  }
  const uint32_t Size = 1u << Shape.BlockOrder, Begin = Frame & ~(Size - 1),
                 End = Begin + Size;
  if (!has(Begin) || !has(End - 1))
    return NoFrame;
  uint32_t FreeHere = 0, MovableHere = 0;
  for (uint32_t I = Begin; I < End;) {
    const Page &P = Pages[index(I)];
    const bool Listed = At(P.Where) == At::Free;
    const uint32_t Step = Listed ? 1u << P.Order : 1;
    FreeHere += Listed ? Step : 0;
    MovableHere += !Listed && At(P.Where) == At::Used && P.MovableUse;
    I += Step;
  }
  const uint32_t Alike = Type == Movable     ? MovableHere
                         : Before == Movable ? Size - FreeHere - MovableHere
                                             : 0;
  if (FreeHere + Alike < Size / 2)
    return NoFrame;
  std::vector<std::pair<uint32_t, unsigned>> Moved;
  for (uint32_t I = Begin; I < End;) {
    const Page P = Pages[index(I)];
    const bool Listed = At(P.Where) == At::Free;
    if (Listed) {
      remove(I, P.Order);
      Moved.push_back({I, P.Order});
    }
    I += Listed ? 1u << P.Order : 1;
  }
  setBlockType(Begin, Type);
  for (auto [I, Of] : Moved)
    put(I, Of, Type, /*Tail=*/true);
  return takeSmallest(Order, Type);
}

/// __rmqueue_steal()
uint32_t PageZone::steal(unsigned Order, uint8_t Type) {
  for (unsigned From = Order; From < PageOrders; ++From) {
    const int Other = fallback(From, Type);
    if (Other < 0)
      continue;
    const uint32_t Frame = first(From, uint8_t(Other));
    remove(Frame, From);
    expand(Frame, Order, From, uint8_t(Other));
    return Frame;
  }
  return NoFrame;
}

uint32_t PageZone::take(unsigned Order, uint8_t Type, bool NoFragment) {
  uint32_t Frame = takeSmallest(Order, Type);
  if (Frame == NoFrame && Type < CpuPageTypes)
    Frame = claim(Order, Type, NoFragment);
  if (Frame == NoFrame && Type < CpuPageTypes && !NoFragment)
    Frame = steal(Order, Type);
  return Frame;
}

uint32_t PageZone::takeAny(unsigned Order, uint8_t Type) {
  uint32_t Frame = takeSmallest(Order, Type);
  for (uint8_t Other = 0; Frame == NoFrame && Other < CpuPageTypes; ++Other)
    Frame = takeSmallest(Order, Other);
  return Frame;
}

uint32_t PageZone::takeColour(unsigned Order, uint8_t Type, uint32_t Colour) {
  uint8_t Tried[CpuPageTypes] = {Type, Fallbacks[Type][0], Fallbacks[Type][1]};
  for (uint8_t Of : Tried)
    for (unsigned From = Order; From < PageOrders; ++From) {
      if (!Listed[From][Of])
        continue;
      const unsigned Shift = From > Colours.Order ? From - Colours.Order : 0;
      const uint32_t Frame =
          list(From, Of, (Colour >> Shift) & (keys(From) - 1)).First;
      if (Frame == NoFrame)
        continue;
      // Of a block that has it: the part whose first page does.
      const uint32_t Within = From > Colours.Order ? (Colour << Colours.Order) &
                                                         ((1u << From) - 1) &
                                                         ~((1u << Order) - 1)
                                                   : 0;
      takeExactly(Frame + Within, Order);
      return Frame + Within;
    }
  return NoFrame;
}

bool PageZone::takeExactly(uint32_t Frame, unsigned Order) {
  for (unsigned From = Order; From < PageOrders; ++From) {
    uint32_t Around = Frame & ~((1u << From) - 1);
    if (!isFree(Around, From))
      continue;
    const uint8_t Type = blockType(Around);
    remove(Around, From);
    for (unsigned Half = From; Half-- > Order;) {
      const uint32_t Upper = Around + (1u << Half);
      const bool InUpper = Frame >= Upper;
      put(InUpper ? Around : Upper, Half, Type, /*Tail=*/false);
      Around = InUpper ? Upper : Around;
    }
    return true;
  }
  return false;
}

void PageZone::use(uint32_t Frame, unsigned Order, uint8_t Type) {
  for (uint32_t I = 0; I < 1u << Order; ++I) {
    Page &P = Pages[index(Frame + I)];
    P.Where = uint8_t(At::Used);
    P.MovableUse = Type == Movable;
  }
}

void PageZone::shuffle(const std::function<uint64_t()> &Random) {
  constexpr unsigned Tries = 10;
  const uint32_t Step = 1u << LargestOrder, End = Shape.Start + Shape.Frames;
  for (auto &OfType : Lists[LargestOrder])
    for (PageList &Of : OfType) {
      std::vector<uint32_t> Line;
      std::vector<uint32_t> PlaceOf(Shape.Frames / Step + 2, NoFrame);
      auto Slot = [&](uint32_t Frame) -> uint32_t & {
        return PlaceOf[Frame / Step - Shape.Start / Step];
      };
      while (Of.First != NoFrame) {
        Slot(Of.First) = uint32_t(Line.size());
        Line.push_back(Of.First);
        unlink(Of, Of.First);
      }
      for (uint32_t I = (Shape.Start + Step - 1) & ~(Step - 1);
           I < End && Line.size() > 1; I += Step) {
        if (Slot(I) == NoFrame)
          continue;
        for (unsigned Try = 0; Try < Tries; ++Try) {
          // Of a zone that begins within a block: none that is a block's.
          const uint32_t J =
              Shape.Start + (uint32_t(Random() % Shape.Frames) & ~(Step - 1));
          if (J % Step || J == I || Slot(J) == NoFrame)
            continue;
          std::swap(Line[Slot(I)], Line[Slot(J)]);
          std::swap(Slot(I), Slot(J));
          break;
        }
      }
      for (uint32_t Frame : Line) {
        Links.pushBack(Of, Frame);
        mark(Frame, LargestOrder, At::Free);
      }
    }
}

} // namespace kst
