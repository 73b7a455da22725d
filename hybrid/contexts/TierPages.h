// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pages with accesses and the contexts that they are of: what all policies of
// two tiers are told.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kst {

using TierPage = uint32_t;
inline constexpr TierPage NoPage = ~0u;

/// Pages are numbered from 0, and numbers are used again. Contexts are numbered
/// by whoever knows them; 0: of none.
class TierPages {
public:
  TierPage begin(uint32_t Context);
  void end(TierPage Page);
  /// It is of another context from now on.
  void own(TierPage Page, uint32_t Context);
  /// The pages of a context are of another from now on.
  void join(uint32_t From, uint32_t Into) {
    forEachOf(From, [&](TierPage Page) { own(Page, Into); });
  }
  void open(uint32_t Context) { of(Context).Closed = false; }
  void close(uint32_t Context) { of(Context).Closed = Context != 0; }

  bool closed(uint32_t Context) const {
    return Context < Contexts.size() && Contexts[Context].Closed;
  }
  uint32_t contextOf(TierPage Page) const { return Pages[Page].Context; }
  bool live(TierPage Page) const { return Pages[Page].Live; }
  size_t pages() const { return Pages.size(); } ///< numbers in use, or once
  uint64_t liveCount() const { return Live; }
  uint64_t mostLive() const { return MostLive; }

  template <typename F> void forEachOf(uint32_t Context, F &&Take) const {
    if (!Context || Context >= Contexts.size())
      return;
    for (TierPage P = Contexts[Context].First; P != NoPage;) {
      const TierPage Next = Pages[P].Next; // Take may end the page
      Take(P);
      P = Next;
    }
  }

private:
  struct Page {
    uint32_t Context = 0;
    TierPage Before = NoPage, Next = NoPage; ///< of the same context
    bool Live = false;
  };
  struct Context {
    TierPage First = NoPage;
    bool Closed = false;
  };
  Context &of(uint32_t Id) {
    if (Id >= Contexts.size())
      Contexts.resize(Id + 1);
    return Contexts[Id];
  }
  void link(TierPage Page, uint32_t Context);
  void unlink(TierPage Page);

  std::vector<Page> Pages;
  std::vector<TierPage> Unused;
  std::vector<Context> Contexts;
  uint64_t Live = 0, MostLive = 0;
};

} // namespace kst
