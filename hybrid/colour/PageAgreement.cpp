// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageAgreement.h"

#include <algorithm>

namespace kst {

const char *spelling(PageWas Of) {
  static constexpr const char *Names[PageWases] = {
      "equal", "own-list", "other-list", "free-list", "used", "outside"};
  return Names[size_t(Of)];
}

uint64_t PageAgreement::allocations() const {
  uint64_t Sum = 0;
  for (const Row &Of : Orders)
    Sum += Of.Allocations;
  return Sum;
}

uint64_t PageAgreement::equal() const {
  uint64_t Sum = 0;
  for (const Row &Of : Orders)
    Sum += Of.Was[size_t(PageWas::Equal)];
  return Sum;
}

void applyLimits(const TraceEvent &E, std::vector<ZoneLimits> &Limits,
                 PageAllocator &To) {
  constexpr uint32_t MostPages = 1u << 28;
  const uint32_t Zone = E.Info >> 8;
  if (E.Kind != EventKind::PageState || Zone >= Limits.size())
    return;
  ZoneLimits &Of = Limits[Zone];
  switch (PageStateKind(E.Info & 0xff)) {
  case PageStateKind::Marks:
    Of.MinMark = E.Value;
    Of.HighMark = E.Index;
    break;
  case PageStateKind::CpuLists:
    Of.Batch = uint32_t(std::clamp<uint64_t>(E.Value, 1, 1 << 16));
    Of.HighLeast = std::min(uint32_t(E.Index), MostPages);
    Of.HighMost = std::clamp(uint32_t(E.Index >> 32), Of.HighLeast, MostPages);
    break;
  default:
    return;
  }
  To.setLimits(Zone, Of);
}

namespace {

class Agreement {
public:
  explicit Agreement(const PageStart &Start)
      : Start(Start), Limits(Start.Limits),
        Model(Start.allocator(PagePolicy::Stock, {})),
        OrderOf(Start.LastFrame + 1) {}
  Result<PageAgreement> run(TraceReader &Trace);

private:
  void alloc(const TraceEvent &E);
  void free(const TraceEvent &E);

  const PageStart &Start;
  std::vector<ZoneLimits> Limits;
  PageAllocator Model;
  PageAgreement Out;
  std::vector<uint8_t> OrderOf; ///< of live allocations by frame, more by 1
};

void Agreement::alloc(const TraceEvent &E) {
  const unsigned Order = E.Info & 0xff;
  const auto Frame = uint32_t(E.Value);
  auto &Row = Out.Orders[Order];
  ++Row.Allocations;
  OrderOf[Frame] = uint8_t(Order + 1);
  PageRequest R{E.Stream, Order,
                uint8_t(std::min<uint32_t>(E.Info >> 8, HighAtomic)),
                Model.zoneOf(Frame)};
  if (R.Zone == PageAllocator::NoZone ||
      R.Zone != Model.zoneOf(Frame + (1u << Order) - 1)) {
    ++Row.Was[size_t(PageWas::Outside)];
    return;
  }
  const uint32_t Given = Model.alloc(R);
  PageWas Was = PageWas::Equal;
  if (Given != Frame)
    switch (Model.follow(R, Given, Frame)) {
    case PageAllocator::Found::OwnList:
      Was = PageWas::OwnList;
      break;
    case PageAllocator::Found::OtherList:
      Was = PageWas::OtherList;
      break;
    case PageAllocator::Found::FreeList:
      Was = PageWas::FreeList;
      break;
    case PageAllocator::Found::Used:
      Was = PageWas::Used;
      break;
    }
  ++Row.Was[size_t(Was)];
}

void Agreement::free(const TraceEvent &E) {
  const unsigned Order = E.Info & 0xff;
  const auto Frame = uint32_t(E.Value);
  ++Out.Frees;
  const unsigned Zone = Model.zoneOf(Frame);
  if (Zone == PageAllocator::NoZone ||
      Zone != Model.zoneOf(Frame + (1u << Order) - 1))
    return;
  if (OrderOf[Frame])
    ++(OrderOf[Frame] == Order + 1 ? Out.FreesOfOrder : Out.FreesOfPart);
  OrderOf[Frame] = 0;
  // What is free in the model was allocated without an event.
  Out.FreesOfUnknown += Model.takeExactly(Frame, Order, Movable);
  Model.free(E.Stream, Frame, Order);
}

Result<PageAgreement> Agreement::run(TraceReader &Trace) {
  uint64_t Number = 0;
  for (TraceEvent E; Trace.next(E);) {
    const bool Page =
        E.Kind == EventKind::PageAlloc || E.Kind == EventKind::PageFree;
    Number += Page;
    applyLimits(E, Limits, Model);
    if (Number <= Start.Before)
      continue;
    if (E.Kind == EventKind::PageAlloc)
      alloc(E);
    else if (E.Kind == EventKind::PageFree)
      free(E);
    else if (E.Kind == EventKind::PageDrain) {
      ++Out.Drains;
      const bool Followed = Model.drain(uint32_t(E.Value));
      ++(Followed ? Out.DrainsFollowed : Out.DrainsForetold);
    }
  }
  if (Trace.failure())
    return *Trace.failure();
  Out.DrainsModel = Model.drained();
  return std::move(Out);
}

} // namespace

Result<PageAgreement> pageAgreement(const PageStart &Start,
                                    TraceReader &Trace) {
  return Agreement(Start).run(Trace);
}

} // namespace kst
