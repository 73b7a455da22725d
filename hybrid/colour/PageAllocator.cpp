// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageAllocator.h"

#include <algorithm>

namespace kst {
namespace {

/// CONFIG_PCP_BATCH_SCALE_MAX and PAGE_ALLOC_COSTLY_ORDER.
constexpr uint32_t BatchScale = 5, CostlyOrder = 3;

} // namespace

const char *spelling(PagePolicy Policy) {
  static constexpr const char *Names[PagePolicies] = {
      "stock",       "shuffle",      "colour-lists",
      "colour-tree", "emptiest-bin", "random"};
  return Names[size_t(Policy)];
}

PageAllocator::PageAllocator(std::vector<ZoneShape> Shapes, PagePolicy Policy,
                             ColourLists Colours, uint64_t Seed)
    : Policy(Policy), Colours(Colours), Limits(Shapes.size()),
      BelowHigh(Shapes.size()), PerCpu(Shapes.size()), Bins(Colours.Number),
      Cursor(Shapes.size()), Chance(Seed) {
  for (const ZoneShape &Of : Shapes)
    Zones.emplace_back(Of, usesCpuLists() || Policy == PagePolicy::Random
                               ? ColourLists()
                               : Colours);
  static_assert(MaxPageCpus <= 1 << 12 && CpuListNumber <= 1 << 4);
  for (const ZoneShape &Of : Shapes)
    Owners.emplace_back(usesCpuLists() ? Of.Frames : 0);
}

unsigned PageAllocator::zoneOf(uint64_t Frame) const {
  for (unsigned Z = 0; Z < Zones.size(); ++Z)
    if (Frame < NoFrame && Zones[Z].has(uint32_t(Frame)))
      return Z;
  return NoZone;
}

PageAllocator::CpuLists &PageAllocator::lists(unsigned Zone, unsigned Cpu) {
  auto &Of = PerCpu[Zone];
  if (Cpu >= Of.size())
    Of.resize(Cpu + 1);
  return Of[Cpu];
}

void PageAllocator::putOnList(unsigned Zone, unsigned Cpu, unsigned Which,
                              uint32_t Frame, unsigned Order, End At) {
  CpuLists &Of = lists(Zone, Cpu);
  At == End::Front ? Zones[Zone].pushFront(Of.Lists[Which], Frame, Order)
                   : Zones[Zone].pushBack(Of.Lists[Which], Frame, Order);
  Of.Count += 1u << Order;
  Owners[Zone][Frame - Zones[Zone].shape().Start] = uint16_t(Cpu << 4 | Which);
}

PageAllocator::ListPlace PageAllocator::listWith(unsigned Zone,
                                                 uint32_t Frame) const {
  const unsigned Of = Owners[Zone][Frame - Zones[Zone].shape().Start];
  return {Of >> 4, Of & 15};
}

void PageAllocator::offList(unsigned Zone, ListPlace Of, uint32_t Frame) {
  CpuLists &Lists = lists(Zone, Of.Cpu);
  Lists.Count -= 1u << Zones[Zone].order(Frame);
  Zones[Zone].unlink(Lists.Lists[Of.Which], Frame);
}

void PageAllocator::setCounts(unsigned Zone, unsigned Cpu, uint32_t High,
                              uint32_t FreedInRow, uint32_t Doublings) {
  CpuLists &Of = lists(Zone, Cpu);
  Of.High = High;
  Of.FreedInRow = FreedInRow;
  Of.Doublings = Doublings;
}

void PageAllocator::setOnCpuList(unsigned Zone, unsigned Cpu, uint32_t Frame,
                                 unsigned Order, uint8_t Type) {
  if (!usesCpuLists())
    return Zones[Zone].free(Frame, Order, PageZone::Place::Tail);
  putOnList(Zone, Cpu, listOf(Order, Type), Frame, Order, End::Back);
}

void PageAllocator::setLimits(unsigned Zone, const ZoneLimits &Of) {
  Limits[Zone] = Of;
  if (ToShuffle && Of.HighMark)
    shuffle();
}

void PageAllocator::shuffle() {
  ToShuffle = false;
  for (PageZone &Of : Zones)
    Of.shuffle([this] { return Chance(); });
}

/// shuffle_pick_tail()
void PageAllocator::pickTails() {
  for (PageZone &Of : Zones)
    // Allocators are moved: what decides belongs to the zone.
    Of.pickTail([Own = std::mt19937_64(Chance()), Bits = uint64_t(0),
                 Left = 0]() mutable {
      if (!Left--) {
        Bits = Own();
        Left = 63;
      }
      const bool Tail = Bits & 1;
      Bits >>= 1;
      return Tail;
    });
}

void PageAllocator::start(bool Booting) {
  if (Policy == PagePolicy::Shuffle) {
    pickTails();
    ToShuffle = Booting;
    if (!Booting)
      shuffle();
  }
  if (usesCpuLists())
    return;
  for (PageZone &Of : Zones) {
    const ZoneShape &Shape = Of.shape();
    for (uint32_t I = Shape.Start; I < Shape.Start + Shape.Frames;) {
      const bool Free = Of.where(I) == PageZone::At::Free;
      const uint32_t Step = Free ? 1u << Of.order(I) : 1;
      for (uint32_t J = 0; Free && J < Step; ++J)
        Bins.change((I + J) >> Colours.Order & (Colours.Number - 1), 0, 1);
      I += Step;
    }
  }
}

void PageAllocator::count(uint32_t Frame, unsigned Order, bool Used) {
  if (usesCpuLists())
    return;
  for (uint32_t I = 0; I < 1u << Order; ++I)
    Bins.change((Frame + I) >> Colours.Order & (Colours.Number - 1),
                Used ? 1 : -1, Used ? -1 : 1);
}

// ---- allocations

uint32_t PageAllocator::takeByColour(const PageRequest &R) {
  PageZone &Of = Zones[R.Zone];
  if (Policy == PagePolicy::Random) {
    // Tries hit a free page soon unless memory is full.
    const ZoneShape &Shape = Of.shape();
    for (unsigned Try = 0; Try < 4096 && Of.freePages(); ++Try) {
      const uint32_t Frame = (Shape.Start + uint32_t(Chance() % Shape.Frames)) &
                             ~((1u << R.Order) - 1);
      if (Of.has(Frame) && Of.takeExactly(Frame, R.Order))
        return Frame;
    }
    return Of.takeAny(R.Order, R.Type);
  }
  uint32_t &Next = Cursor[R.Zone];
  uint32_t Colour = Next;
  if (Policy == PagePolicy::ColourTree)
    Colour = Bins.next(Next);
  else if (Policy == PagePolicy::EmptiestBin)
    Colour = Bins.emptiest();
  if (Colour == ColourTree::None)
    return NoFrame;
  const unsigned Steps = R.Order > Colours.Order ? R.Order - Colours.Order : 0;
  Colour &= ~((1u << Steps) - 1); // blocks lie at multiples of their size
  uint32_t Frame = Of.takeColour(R.Order, R.Type, Colour);
  // Pages of 2^Order go on within one colour.
  const uint32_t Ahead =
      std::max<uint32_t>(1, (1u << R.Order) >> Colours.Order);
  const uint32_t After = Frame == NoFrame ? Colour + Ahead
                         : Of.has(Frame)
                             ? (((Frame + (1u << R.Order)) >> Colours.Order))
                             : 0;
  Next = After & (Colours.Number - 1);
  return Frame == NoFrame ? Of.takeAny(R.Order, R.Type) : Frame;
}

uint32_t PageAllocator::takeFromZone(const PageRequest &R) {
  // ALLOC_NOFRAGMENT is for zones with another one below that may serve.
  PageZone &Of = Zones[R.Zone];
  const bool Normal = Of.shape().Start >= 1u << 20;
  uint32_t Frame = Of.take(R.Order, R.Type, Normal);
  if (Frame == NoFrame && Normal)
    Frame = Of.take(R.Order, R.Type, false);
  return Frame;
}

/// nr_pcp_alloc()
uint32_t PageAllocator::refillNumber(CpuLists &Of, unsigned Zone,
                                     unsigned Order) {
  const ZoneLimits &L = Limits[Zone];
  Of.High = std::clamp(Of.High, L.HighLeast, L.HighMost);
  if (Of.High < L.Batch)
    return 1;
  uint32_t Batch = Order ? L.Batch : L.Batch << Of.Doublings;
  uint32_t High = Of.High;
  if (L.HighLeast != L.HighMost && !BelowHigh[Zone])
    High = Of.High = std::min(High + Batch, L.HighMost);
  if (!Order) {
    const int64_t Most =
        std::max<int64_t>(int64_t(High) - Of.Count - L.Batch, L.Batch);
    if (Batch <= Most && Of.Doublings < BatchScale)
      ++Of.Doublings;
    Batch = uint32_t(std::min<int64_t>(Batch, Most));
  }
  return Batch > 1 ? std::max(Batch >> Order, 2u) : Batch;
}

uint32_t PageAllocator::allocFromList(const PageRequest &R) {
  CpuLists &Of = lists(R.Zone, R.Cpu);
  const unsigned Which = listOf(R.Order, R.Type);
  PageZone::List &List = Of.Lists[Which];
  Of.FreedInRow >>= 1;
  FromList = List.First != NoFrame;
  if (!FromList) {
    for (uint32_t N = refillNumber(Of, R.Zone, R.Order); N; --N) {
      const uint32_t Frame = takeFromZone(R);
      if (Frame == NoFrame)
        break;
      putOnList(R.Zone, R.Cpu, Which, Frame, R.Order, End::Back);
      ++Refilled;
    }
  }
  const uint32_t Frame = List.First;
  if (Frame != NoFrame)
    offList(R.Zone, {R.Cpu, Which}, Frame);
  return Frame;
}

uint32_t PageAllocator::alloc(const PageRequest &R) {
  PageZone &Of = Zones[R.Zone];
  if (Of.freePages() <= Limits[R.Zone].HighMark)
    BelowHigh[R.Zone] = true;
  FromList = false;
  uint32_t Frame = NoFrame;
  if (!usesCpuLists())
    Frame = takeByColour(R);
  else if (hasCpuList(Of, R.Order) && R.Type < CpuPageTypes)
    Frame = allocFromList(R);
  if (Frame == NoFrame && usesCpuLists())
    Frame = takeFromZone(R);
  if (Frame == NoFrame)
    return Frame;
  Of.use(Frame, R.Order, R.Type);
  count(Frame, R.Order, true);
  return Frame;
}

// ---- frees

/// nr_pcp_high()
uint32_t PageAllocator::mostStay(CpuLists &Of, unsigned Zone, bool FreeLarge) {
  const ZoneLimits &L = Limits[Zone];
  uint32_t High = Of.High = std::clamp(Of.High, L.HighLeast, L.HighMost);
  if (!High)
    return 0;
  auto Less = [&](uint32_t By) {
    return uint32_t(std::max<int64_t>(int64_t(High) - By, L.HighLeast));
  };
  if (FreeLarge) {
    Of.High = Less(L.Batch << BatchScale);
    return 0;
  }
  if (L.HighLeast == L.HighMost)
    return High;
  if (BelowHigh[Zone]) {
    Of.High = Less(std::max(Of.FreedInRow, L.Batch));
    return std::max(Of.Count, L.HighLeast);
  }
  const uint32_t Need = Of.FreedInRow + L.Batch;
  if (Of.Count >= High && Of.High < Need)
    Of.High = std::clamp(Need, L.HighLeast, L.HighMost);
  return High;
}

/// free_pcppages_bulk(), from the list From on.
void PageAllocator::drainSome(unsigned Zone, CpuLists &Of, uint32_t Number,
                              unsigned From) {
  int64_t Left = std::min(Number, Of.Count);
  for (unsigned At = From; Left > 0; At = (At + 1) % CpuListNumber) {
    PageZone::List &List = Of.Lists[At];
    while (Left > 0 && List.First != NoFrame) {
      const uint32_t Frame = List.Last;
      const unsigned Order = Zones[Zone].order(Frame);
      Zones[Zone].unlink(List, Frame);
      Of.Count -= 1u << Order;
      Left -= 1u << Order;
      Zones[Zone].free(Frame, Order);
      ++Drained;
    }
  }
}

/// free_unref_page_commit()
void PageAllocator::freeToList(unsigned Zone, unsigned Cpu, uint32_t Frame,
                               unsigned Order) {
  const ZoneLimits &L = Limits[Zone];
  CpuLists &Of = lists(Zone, Cpu);
  uint8_t Type = Zones[Zone].blockType(Frame);
  if (Type >= CpuPageTypes)
    Type = Movable;
  const unsigned Which = listOf(Order, Type);
  Of.Doublings >>= 1;
  putOnList(Zone, Cpu, Which, Frame, Order, End::Front);
  bool FreeLarge = false;
  if (Order && Order <= CostlyOrder) {
    FreeLarge =
        Of.FreedInRow >= L.Batch && Of.FreedLarge && Of.Count >= L.Batch;
    Of.FreedLarge = true;
  } else {
    Of.FreedLarge = false;
  }
  if (Of.FreedInRow < L.Batch << BatchScale)
    Of.FreedInRow += 1u << Order;
  const uint32_t High = mostStay(Of, Zone, FreeLarge);
  if (Of.Count < High)
    return;
  // nr_pcp_free()
  uint32_t Number = 1;
  if (FreeLarge)
    Number = std::min(Of.Count, L.Batch << BatchScale);
  else if (High >= L.Batch)
    Number = High - L.Batch < L.Batch
                 ? High - L.Batch
                 : std::clamp(Of.FreedInRow, L.Batch, High - L.Batch);
  drainSome(Zone, Of, Number, Which);
  if (BelowHigh[Zone] && Zones[Zone].freePages() > L.HighMark)
    BelowHigh[Zone] = false;
}

void PageAllocator::free(unsigned Cpu, uint32_t Frame, unsigned Order) {
  const unsigned Z = zoneOf(Frame);
  if (Order && !Zones[Z].has(Frame + (1u << Order) - 1)) {
    for (uint32_t I = 0; I < 1u << Order; ++I)
      if (zoneOf(Frame + I) != NoZone)
        free(Cpu, Frame + I, 0);
    return;
  }
  count(Frame, Order, false);
  if (usesCpuLists() && hasCpuList(Zones[Z], Order))
    return freeToList(Z, Cpu, Frame, Order);
  // split_large_buddy()
  const unsigned Part = std::min(Order, Zones[Z].shape().BlockOrder);
  for (uint32_t I = 0; I < 1u << Order; I += 1u << Part)
    Zones[Z].free(Frame + I, Part);
}

// ---- what the recording says

/// The block on some CPU's list that has the frame goes to the free lists.
bool PageAllocator::offCpuLists(unsigned Z, uint32_t Frame) {
  PageZone &Of = Zones[Z];
  uint32_t Head = NoFrame;
  for (unsigned Order = 0; Order < PageOrders && Head == NoFrame; ++Order) {
    const uint32_t Around = Frame & ~((1u << Order) - 1);
    if (Of.has(Around) && Of.where(Around) == PageZone::At::CpuList &&
        Of.order(Around) >= Order)
      Head = Around;
  }
  if (Head == NoFrame)
    return false;
  const ListPlace Place = listWith(Z, Head);
  offList(Z, Place, Head);
  Of.free(Head, Of.order(Head));
  // decay_pcp_high() ends where as many are left as may stay.
  CpuLists &Lists = lists(Z, Place.Cpu);
  if (Lists.Count >= Limits[Z].HighLeast)
    Lists.High = std::min(Lists.High, Lists.Count);
  return true;
}

bool PageAllocator::takeExactly(uint32_t Frame, unsigned Order, uint8_t Type) {
  const unsigned Z = zoneOf(Frame);
  PageZone &Of = Zones[Z];
  bool Whole = Of.takeExactly(Frame, Order);
  if (!Whole && usesCpuLists()) {
    for (uint32_t I = 0; I < 1u << Order; ++I)
      offCpuLists(Z, Frame + I);
    Whole = Of.takeExactly(Frame, Order);
  }
  uint32_t Pieces = 0;
  for (uint32_t I = 0; !Whole && I < 1u << Order; ++I)
    Pieces += Of.takeExactly(Frame + I, 0);
  if (Whole || Pieces)
    count(Frame, Order, true); // colours count what was free as whole blocks
  Of.use(Frame, Order, Type);
  return Whole;
}

PageAllocator::Found PageAllocator::follow(const PageRequest &R, uint32_t Given,
                                           uint32_t Frame) {
  PageZone &Of = Zones[R.Zone];
  const bool Listed =
      usesCpuLists() && hasCpuList(Of, R.Order) && R.Type < CpuPageTypes;
  if (!Listed) {
    if (Given != NoFrame) {
      count(Given, R.Order, false);
      Of.free(Given, R.Order, PageZone::Place::Front);
    }
    const bool OnList = Of.where(Frame) == PageZone::At::CpuList;
    return !takeExactly(Frame, R.Order, R.Type) ? Found::Used
           : OnList                             ? Found::OtherList
                                                : Found::FreeList;
  }
  CpuLists &Lists = lists(R.Zone, R.Cpu);
  const unsigned Which = listOf(R.Order, R.Type);
  const bool HadPages = FromList;
  if (Given != NoFrame)
    putOnList(R.Zone, R.Cpu, Which, Given, R.Order, End::Front);
  if (Of.where(Frame) == PageZone::At::CpuList) {
    const ListPlace Place = listWith(R.Zone, Frame);
    if (Place.Cpu != R.Cpu || Place.Which != Which)
      return takeExactly(Frame, R.Order, R.Type) ? Found::OtherList
                                                 : Found::Used;
    // What the kernel did not have in front of it comes later, or never.
    Of.rotate(Lists.Lists[Which], Frame);
    offList(R.Zone, Place, Frame);
    Of.use(Frame, R.Order, R.Type);
    return Found::OwnList;
  }
  if (!takeExactly(Frame, R.Order, R.Type))
    return Found::Used;
  if (HadPages) {
    // The kernel's list was empty and got more than this page.
    std::vector<uint32_t> More;
    for (uint32_t N = refillNumber(Lists, R.Zone, R.Order); N > 1; --N)
      if (const uint32_t Next = takeFromZone(R); Next != NoFrame)
        More.push_back(Next);
    for (; !More.empty(); More.pop_back())
      putOnList(R.Zone, R.Cpu, Which, More.back(), R.Order, End::Front);
  }
  return Found::FreeList;
}

bool PageAllocator::drain(uint32_t Frame) {
  const unsigned Z = zoneOf(Frame);
  return Z != NoZone && offCpuLists(Z, Frame);
}

} // namespace kst
