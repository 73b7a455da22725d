// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/TierRun.h"

namespace kst {

const char *spelling(TierPolicy Policy) {
  static constexpr const char *Names[TierPolicies] = {
      "all-fast", "all-slow",          "naive",         "scan",
      "lru",      "contexts-pressure", "contexts-eager"};
  return Names[size_t(Policy)];
}

void TierRun::link(TierPage Page) {
  State &Of = States[Page];
  Of.Before = NoPage;
  Of.Next = Newest;
  if (Newest != NoPage)
    States[Newest].Before = Page;
  Newest = Page;
  if (Oldest == NoPage)
    Oldest = Page;
}

void TierRun::unlink(TierPage Page) {
  State &Of = States[Page];
  (Of.Before == NoPage ? Newest : States[Of.Before].Next) = Of.Next;
  (Of.Next == NoPage ? Oldest : States[Of.Next].Before) = Of.Before;
}

void TierRun::enter(TierPage Page) {
  States[Page].Fast = true;
  link(Page);
  ++Used;
}

void TierRun::leave(TierPage Page) {
  unlink(Page);
  States[Page].Fast = false;
  --Used;
}

void TierRun::up(TierPage Page) {
  enter(Page);
  ++Counts.Up;
}

void TierRun::down(TierPage Page) {
  leave(Page);
  ++Counts.Down;
}

uint64_t &TierRun::turnOf(uint32_t Context) {
  if (Turn.size() <= Context)
    Turn.resize(Context + 1);
  return Turn[Context];
}

void TierRun::queue(uint32_t Context) {
  turnOf(Context) = ++Turns;
  ClosedFirst.push_back({Context, Turns});
}

bool TierRun::makeRoom(uint32_t For) {
  std::pair<uint32_t, uint64_t> Own{};
  while (Used >= Room && Policy == TierPolicy::Pressure &&
         !ClosedFirst.empty()) {
    const auto [Context, Number] = ClosedFirst.front();
    ClosedFirst.pop_front();
    if (turnOf(Context) != Number)
      continue; // it was opened since, or closed once more
    if (Context == For) {
      Own = {Context, Number};
      continue;
    }
    turnOf(Context) = 0;
    Pages.forEachOf(Context, [&](TierPage Page) {
      if (Page < States.size() && States[Page].Fast)
        down(Page);
    });
  }
  if (Own.second)
    ClosedFirst.push_front(Own);
  return Used < Room;
}

void TierRun::begin(TierPage Page) {
  if (States.size() < Pages.pages())
    States.resize(Pages.pages());
  States[Page] = {};
  if (Policy == TierPolicy::AllSlow)
    return;
  const uint32_t Context = Pages.contextOf(Page);
  const bool Late = byContext() && Pages.closed(Context);
  if (Policy == TierPolicy::Eager && Late)
    return;
  if (Policy == TierPolicy::AllFast || makeRoom(Context)) {
    enter(Page);
    if (Late && Policy == TierPolicy::Pressure && !turnOf(Context))
      queue(Context);
  } else if (Policy == TierPolicy::Lru && Oldest != NoPage) {
    down(Oldest);
    enter(Page);
  }
}

void TierRun::end(TierPage Page) {
  if (States[Page].Fast)
    leave(Page);
  States[Page].Touched = false;
}

void TierRun::access(TierPage Page) {
  State &Of = States[Page];
  ++(Of.Fast ? Counts.Fast : Counts.Slow);
  if (Policy == TierPolicy::Lru) {
    if (Of.Fast) {
      if (Newest != Page) {
        unlink(Page);
        link(Page);
      }
    } else if (Room) {
      if (Used >= Room)
        down(Oldest);
      up(Page);
    }
  } else if (Policy == TierPolicy::Scan) {
    if (!Of.Touched && !Of.Fast)
      TouchedSlow.push_back(Page);
    Of.Touched = true;
    if (++SinceScan >= ScanEvery)
      scan();
  }
}

/// What was not used since the last scan goes, the one that came first at
/// first, where something that was used needs its place.
void TierRun::scan() {
  SinceScan = 0;
  TierPage Idle = Oldest;
  for (TierPage Page : TouchedSlow) {
    if (!Pages.live(Page) || States[Page].Fast || !States[Page].Touched)
      continue; // it ended, and perhaps another has its number
    if (Used >= Room) {
      while (Idle != NoPage && States[Idle].Touched)
        Idle = States[Idle].Before;
      if (Idle == NoPage)
        break;
      const TierPage Next = States[Idle].Before;
      down(Idle);
      Idle = Next;
    }
    up(Page);
  }
  TouchedSlow.clear();
  for (State &Of : States)
    Of.Touched = false;
}

void TierRun::open(uint32_t Context) {
  if (!byContext())
    return;
  turnOf(Context) = 0;
  Pages.forEachOf(Context, [&](TierPage Page) {
    if (!States[Page].Fast && makeRoom(Context))
      up(Page);
  });
}

void TierRun::close(uint32_t Context) {
  if (Policy == TierPolicy::Pressure)
    queue(Context);
  if (Policy == TierPolicy::Eager)
    Pages.forEachOf(Context, [&](TierPage Page) {
      if (States[Page].Fast)
        down(Page);
    });
}

} // namespace kst
