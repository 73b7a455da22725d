// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/RingBuffer.h"

namespace kst {
namespace {

/// In the number that says how full a page is.
constexpr uint64_t FilledMask = (1 << 27) - 1, LostNumber = 1 << 30,
                   LostSome = uint64_t(1) << 31;

/// The lowest five bits of an event's head, the others are a time.
enum : uint32_t {
  LongEvent = 0,
  Padding = 29,
  TimeExtend = 30,
  TimeStamp = 31
};
constexpr unsigned TypeBits = 5, TimeBits = 27;
/// A time stamp has 59 bits.
constexpr uint64_t StampMask = (uint64_t(1) << 59) - 1;

} // namespace

RingPage::RingPage(std::string_view Page, uint32_t LongBytes, bool Big)
    : Big(Big) {
  ForeignBytes Head(Page, Big);
  Time = Head.at<uint64_t>(0);
  uint64_t Commit =
      LongBytes == 4 ? Head.at<uint32_t>(8) : Head.at<uint64_t>(8);
  const uint64_t Begin = 8 + LongBytes, Filled = Commit & FilledMask;
  if (Page.size() < Begin || Filled > Page.size() - Begin) {
    Damaged = !Page.empty();
    return;
  }
  if (Commit & LostSome) {
    Lost = 1;
    if (uint64_t Number = LongBytes == 4 ? Head.at<uint32_t>(Begin + Filled)
                                         : Head.at<uint64_t>(Begin + Filled);
        Commit & LostNumber && Number)
      Lost = Number;
  }
  In = ForeignBytes(Page.substr(Begin, Filled), Big);
}

bool RingPage::next(RingEvent &Out) {
  while (In.left() >= 4) {
    uint32_t Head = In.take<uint32_t>();
    uint32_t Type = Big ? Head >> TimeBits : Head & ((1 << TypeBits) - 1);
    uint64_t Delta =
        Big ? Head & ((1u << TimeBits) - 1) : uint64_t(Head >> TypeBits);
    uint64_t Size = uint64_t(Type) * 4;
    switch (Type) {
    case Padding:
      if (!Delta)
        return false; // the rest of the page
      Time += Delta;
      In.take(In.take<uint32_t>() - uint64_t(4));
      if (!In.good())
        return !(Damaged = true);
      continue;
    case TimeExtend:
      Time += (uint64_t(In.take<uint32_t>()) << TimeBits) + Delta;
      continue;
    case TimeStamp:
      Time =
          (Time & ~StampMask) |
          (((uint64_t(In.take<uint32_t>()) << TimeBits) + Delta) & StampMask);
      continue;
    case LongEvent:
      // With the number itself.
      Size = In.take<uint32_t>();
      Size = Size < 4 ? ~uint64_t(0) : (Size - 4 + 3) & ~uint64_t(3);
      break;
    default:
      break;
    }
    Time += Delta;
    Out.Bytes = In.take(Size);
    if (!In.good())
      return !(Damaged = true);
    Out.Time = Time;
    Out.LostBefore = Lost;
    Lost = 0;
    return true;
  }
  return false;
}

} // namespace kst
