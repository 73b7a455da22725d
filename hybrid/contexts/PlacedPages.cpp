// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/PlacedPages.h"

namespace kst {

TierPage PlacedPages::begin(uint32_t Context) {
  const TierPage Page = Pages.begin(Context);
  Tell.Begin(Page);
  return Page;
}

void PlacedPages::finish(TierPage Page) {
  Tell.End(Page);
  Pages.end(Page);
}

TierPage PlacedPages::page(const OwnedObject &Of, uint64_t Address,
                           uint32_t Context) {
  if (Grouped) {
    if (auto At = Placed.find(Of.Address); At != Placed.end())
      return At->second;
    if (Context && Of.SizeBytes && Of.SizeBytes < PageBytes)
      return grouped(Of, Context);
  }
  return stock(Address, Context);
}

/// A page with objects of several contexts is of none.
TierPage PlacedPages::stock(uint64_t Address, uint32_t Context) {
  auto [At, New] = ByNumber.try_emplace(Address / PageBytes);
  Stock &Of = At->second;
  if (New) {
    Of.Page = begin(Context);
  } else if (Context && !Of.Mixed) {
    const uint32_t Now = Pages.contextOf(Of.Page);
    Of.Mixed = Now && Now != Context;
    Pages.own(Of.Page, Of.Mixed ? 0 : Context);
  }
  return Of.Page;
}

TierPage PlacedPages::grouped(const OwnedObject &Of, uint32_t Context) {
  Group &In = Filling[{Context, Of.Type}];
  if (In.Page == NoPage || In.UsedBytes + Of.SizeBytes > PageBytes) {
    In = {begin(Context), 0};
    if (OnPage.size() < Pages.pages())
      OnPage.resize(Pages.pages());
    OnPage[In.Page] = 0;
  }
  In.UsedBytes += Of.SizeBytes;
  ++OnPage[In.Page];
  return Placed[Of.Address] = In.Page;
}

void PlacedPages::end(const OwnedObject &Of) {
  auto At = Placed.find(Of.Address);
  if (At == Placed.end())
    return;
  const TierPage Page = At->second;
  Placed.erase(At);
  if (--OnPage[Page])
    return;
  auto In = Filling.find({Pages.contextOf(Page), Of.Type});
  if (In != Filling.end() && In->second.Page == Page)
    Filling.erase(In);
  finish(Page);
}

void PlacedPages::endPages(uint64_t Address, uint64_t Bytes) {
  for (uint64_t Page = Address / PageBytes;
       Page < (Address + Bytes) / PageBytes; ++Page)
    if (auto At = ByNumber.find(Page); At != ByNumber.end()) {
      finish(At->second.Page);
      ByNumber.erase(At);
    }
}

} // namespace kst
