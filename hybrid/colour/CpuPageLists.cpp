// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/CpuPageLists.h"

#include <algorithm>

namespace kst {
namespace {

/// CONFIG_PCP_BATCH_SCALE_MAX and PAGE_ALLOC_COSTLY_ORDER.
constexpr uint32_t BatchScale = 5, CostlyOrder = 3;

} // namespace

CpuPageLists::CpuLists &CpuPageLists::lists(unsigned Cpu) {
  if (Cpu >= PerCpu.size())
    PerCpu.resize(Cpu + 1);
  return PerCpu[Cpu];
}

void CpuPageLists::put(PageZone &Of, Place On, uint32_t Frame, unsigned Order,
                       End At) {
  static_assert(MaxPageCpus <= 1 << 12 && ListNumber <= 1 << 4);
  CpuLists &Lists = lists(On.Cpu);
  At == End::Front ? Of.pushFront(Lists.Lists[On.Which], Frame, Order)
                   : Of.pushBack(Lists.Lists[On.Which], Frame, Order);
  Lists.Count += 1u << Order;
  Owners[Frame - Start] = uint16_t(On.Cpu << 4 | On.Which);
}

CpuPageLists::Place CpuPageLists::placeOf(uint32_t Frame) const {
  const unsigned Of = Owners[Frame - Start];
  return {Of >> 4, Of & 15};
}

void CpuPageLists::remove(PageZone &Of, Place From, uint32_t Frame) {
  CpuLists &Lists = lists(From.Cpu);
  Lists.Count -= 1u << Of.order(Frame);
  Of.unlink(Lists.Lists[From.Which], Frame);
}

void CpuPageLists::setCounts(unsigned Cpu, uint32_t High, uint32_t FreedInRow,
                             uint32_t Doublings) {
  CpuLists &Of = lists(Cpu);
  Of.High = High;
  Of.FreedInRow = FreedInRow;
  Of.Doublings = Doublings;
}

void CpuPageLists::setBlock(PageZone &Of, unsigned Cpu, uint32_t Frame,
                            unsigned Order, uint8_t Type) {
  put(Of, {Cpu, listOf(Order, Type)}, Frame, Order, End::Back);
}

// ---- allocations

uint32_t CpuPageLists::takeFromZone(PageZone &Of, const PageRequest &R) {
  // ALLOC_NOFRAGMENT is for zones with another one below that may serve.
  const bool Normal = Of.shape().Start >= 1u << 20;
  uint32_t Frame = Of.take(R.Order, R.Type, Normal);
  if (Frame == NoFrame && Normal)
    Frame = Of.take(R.Order, R.Type, false);
  return Frame;
}

/// nr_pcp_alloc()
uint32_t CpuPageLists::refillNumber(CpuLists &Of, unsigned Order) {
  const ZoneLimits &L = Limits;
  Of.High = std::clamp(Of.High, L.HighLeast, L.HighMost);
  if (Of.High < L.Batch)
    return 1;
  uint32_t Batch = Order ? L.Batch : L.Batch << Of.Doublings;
  uint32_t High = Of.High;
  if (L.HighLeast != L.HighMost && !BelowHigh)
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

uint32_t CpuPageLists::alloc(PageZone &Zone, const PageRequest &R) {
  CpuLists &Of = lists(R.Cpu);
  const Place On = placeFor(R);
  PageList &List = Of.Lists[On.Which];
  Of.FreedInRow >>= 1;
  if (List.First == NoFrame) {
    for (uint32_t N = refillNumber(Of, R.Order); N; --N) {
      const uint32_t Frame = takeFromZone(Zone, R);
      if (Frame == NoFrame)
        break;
      put(Zone, On, Frame, R.Order, End::Back);
    }
  }
  const uint32_t Frame = List.First;
  if (Frame != NoFrame)
    remove(Zone, On, Frame);
  return Frame;
}

// ---- frees

/// nr_pcp_high()
uint32_t CpuPageLists::mostStay(CpuLists &Of, bool FreeLarge) {
  const ZoneLimits &L = Limits;
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
  if (BelowHigh) {
    Of.High = Less(std::max(Of.FreedInRow, L.Batch));
    return std::max(Of.Count, L.HighLeast);
  }
  const uint32_t Need = Of.FreedInRow + L.Batch;
  if (Of.Count >= High && Of.High < Need)
    Of.High = std::clamp(Need, L.HighLeast, L.HighMost);
  return High;
}

/// free_pcppages_bulk(), from the list From on.
void CpuPageLists::drainSome(PageZone &Zone, CpuLists &Of, uint32_t Number,
                             unsigned From) {
  int64_t Left = std::min(Number, Of.Count);
  for (unsigned At = From; Left > 0; At = (At + 1) % ListNumber) {
    PageList &List = Of.Lists[At];
    while (Left > 0 && List.First != NoFrame) {
      const uint32_t Frame = List.Last;
      const unsigned Order = Zone.order(Frame);
      Zone.unlink(List, Frame);
      Of.Count -= 1u << Order;
      Left -= 1u << Order;
      Zone.free(Frame, Order);
      ++Drained;
    }
  }
}

/// free_unref_page_commit()
void CpuPageLists::free(PageZone &Zone, unsigned Cpu, uint32_t Frame,
                        unsigned Order) {
  const ZoneLimits &L = Limits;
  CpuLists &Of = lists(Cpu);
  uint8_t Type = Zone.blockType(Frame);
  if (Type >= CpuPageTypes)
    Type = Movable;
  const unsigned Which = listOf(Order, Type);
  Of.Doublings >>= 1;
  put(Zone, {Cpu, Which}, Frame, Order, End::Front);
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
  const uint32_t High = mostStay(Of, FreeLarge);
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
  if (BelowHigh && Zone.freePages() > L.HighMark)
    BelowHigh = false;
}

// ---- what the recording says

bool CpuPageLists::drain(PageZone &Of, uint32_t Frame) {
  uint32_t Head = NoFrame;
  for (unsigned Order = 0; Order < PageOrders && Head == NoFrame; ++Order) {
    const uint32_t Around = Frame & ~((1u << Order) - 1);
    if (Of.has(Around) && Of.where(Around) == PageZone::At::CpuList &&
        Of.order(Around) >= Order)
      Head = Around;
  }
  if (Head == NoFrame)
    return false;
  const Place On = placeOf(Head);
  remove(Of, On, Head);
  Of.free(Head, Of.order(Head));
  // decay_pcp_high() ends where as many are left as may stay.
  CpuLists &Lists = lists(On.Cpu);
  if (Lists.Count >= Limits.HighLeast)
    Lists.High = std::min(Lists.High, Lists.Count);
  return true;
}

void CpuPageLists::putBack(PageZone &Of, const PageRequest &R, uint32_t Frame) {
  put(Of, placeFor(R), Frame, R.Order, End::Front);
}

void CpuPageLists::takeFrom(PageZone &Of, const PageRequest &R,
                            uint32_t Frame) {
  const Place On = placeFor(R);
  Of.rotate(lists(R.Cpu).Lists[On.Which], Frame);
  remove(Of, On, Frame);
}

void CpuPageLists::refillBeside(PageZone &Of, const PageRequest &R) {
  std::vector<uint32_t> More;
  for (uint32_t N = refillNumber(lists(R.Cpu), R.Order); N > 1; --N)
    if (const uint32_t Next = takeFromZone(Of, R); Next != NoFrame)
      More.push_back(Next);
  for (; !More.empty(); More.pop_back())
    putBack(Of, R, More.back());
}

} // namespace kst
