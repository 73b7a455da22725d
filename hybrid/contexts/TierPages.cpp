// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/TierPages.h"

#include <algorithm>

namespace kst {

TierPage TierPages::begin(uint32_t Context) {
  TierPage Page;
  if (Unused.empty()) {
    Page = TierPage(Pages.size());
    Pages.emplace_back();
  } else {
    Page = Unused.back();
    Unused.pop_back();
  }
  Pages[Page] = {};
  Pages[Page].Live = true;
  link(Page, Context);
  MostLive = std::max(MostLive, ++Live);
  return Page;
}

void TierPages::end(TierPage Page) {
  unlink(Page);
  Pages[Page].Live = false;
  Unused.push_back(Page);
  --Live;
}

void TierPages::own(TierPage Page, uint32_t Context) {
  if (Pages[Page].Context == Context)
    return;
  unlink(Page);
  link(Page, Context);
}

void TierPages::link(TierPage Page, uint32_t Context) {
  kst::TierPages::Page &Of = Pages[Page];
  Of.Context = Context;
  Of.Before = Of.Next = NoPage;
  if (!Context)
    return;
  TierPage &First = of(Context).First;
  Of.Next = First;
  if (First != NoPage)
    Pages[First].Before = Page;
  First = Page;
}

void TierPages::unlink(TierPage Page) {
  kst::TierPages::Page &Of = Pages[Page];
  if (!Of.Context)
    return;
  if (Of.Next != NoPage)
    Pages[Of.Next].Before = Of.Before;
  if (Of.Before != NoPage)
    Pages[Of.Before].Next = Of.Next;
  else
    Contexts[Of.Context].First = Of.Next;
  Of.Context = 0;
}

} // namespace kst
