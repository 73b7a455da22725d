// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/PackingSearch.h"

#include <algorithm>

namespace kst {

PackingSearch::PackingSearch(const SearchSpace &Space,
                             const MoveUnitOrder &Start, Packing::Mode Kind,
                             uint64_t Seed)
    : State(Space, Start, Kind), Random(Seed), Cost(Space.price(Start)),
      SetItems(Space.model().setCount()), Queued(State.items().size()) {
  for (uint32_t I = 0; I < State.items().size(); ++I) {
    const Packing::Item &It = State.items()[I];
    BestLines.push_back(It.Line);
    if (It.Fixed)
      continue;
    if (!It.Sets.empty())
      Movable.push_back(I);
    for (const Packing::Item::Touch &T : It.Sets)
      SetItems[T.Set].push_back(I);
  }
}

/// Uniform in 0..Bound-1 (up to 2^-32); the same on every machine.
uint64_t PackingSearch::below(uint64_t Bound) {
  return (Random() >> 32) * Bound >> 32;
}

void PackingSearch::shift(uint32_t Item, uint32_t Line, double Delta) {
  Log.emplace_back(Item, State.items()[Item].Line);
  State.move(Item, Line);
  Change += Delta;
}

/// Takes the item off its line; the last line is of no segment.
void PackingSearch::eject(uint32_t Item) {
  uint32_t From = State.items()[Item].Line;
  shift(Item, State.lineCount() - 1, -State.own(Item));
  touch(From);
  Ejected.push_back(Item);
}

/// All on the line are to be looked at again.
void PackingSearch::touch(uint32_t Line) {
  for (uint32_t I : State.on(Line))
    if (!Queued[I]) {
      Queued[I] = true;
      Queue.push_back(I);
    }
}

/// Each has room in the place of the other.
bool PackingSearch::mayTrade(uint32_t A, uint32_t B) {
  State.tick();
  if (State.mode() == Packing::Mode::Exchange)
    return State.alike(A, B);
  const Packing::Item &X = State.items()[A], &Y = State.items()[B];
  const auto More =
      static_cast<int64_t>(X.Bytes) - static_cast<int64_t>(Y.Bytes);
  return X.Segment == Y.Segment && State.room(Y.Segment, Y.Line) >= More &&
         State.room(X.Segment, X.Line) >= -More;
}

/// The best move or swap of one item, if it gains.
bool PackingSearch::improveItem(uint32_t A) {
  const Packing::Item &Mine = State.items()[A];
  const double Own = State.own(A), Tolerance = 1e-9 * Cost;
  // Any other place costs at least nothing; those that would gain by its place
  // find out themselves.
  if (Own <= Tolerance)
    return false;
  const auto Bytes = static_cast<int64_t>(Mine.Bytes);
  double Best = -Tolerance;
  uint32_t BestLine = ~0u, BestOther = ~0u;
  for (uint32_t Line = 0; Line + 1 < State.lineCount(); ++Line) {
    if (Line == Mine.Line)
      continue;
    const int64_t Room = State.room(Mine.Segment, Line);
    if (Room >= Bytes && State.mode() == Packing::Mode::Repack)
      if (const double Delta = State.join(A, Line) - Own; Delta < Best) {
        Best = Delta;
        BestLine = Line;
        BestOther = ~0u;
      }
    double Joins = -1;
    for (uint32_t B : State.on(Line)) {
      if (!mayTrade(A, B))
        continue;
      if (Joins < 0)
        Joins = State.joinLines(A, Line);
      // Left out: what B touches on A's line, and sharing, which is never less
      // for one more item.
      if (Joins - Own - State.own(B) >= Best)
        continue;
      if (const double Delta = State.swap(A, B); Delta < Best) {
        Best = Delta;
        BestLine = Line;
        BestOther = B;
      }
    }
  }
  if (BestLine == ~0u)
    return false;
  const uint32_t From = Mine.Line;
  shift(A, BestLine, Best);
  if (BestOther != ~0u)
    shift(BestOther, From, 0);
  touch(From);
  touch(BestLine);
  return true;
}

void PackingSearch::improve(uint64_t Stop) {
  for (size_t At = 0; At < Queue.size(); ++At) {
    Queued[Queue[At]] = false;
    if (State.work() < Stop)
      improveItem(Queue[At]);
  }
  Queue.clear();
}

/// Each ejected item to the line with room where it costs least.
bool PackingSearch::insertEjected() {
  for (size_t I = Ejected.size(); I > 1; --I)
    std::swap(Ejected[I - 1], Ejected[below(I)]);
  if (below(2))
    std::ranges::stable_sort(Ejected, [&](uint32_t A, uint32_t B) {
      return State.items()[A].Bytes > State.items()[B].Bytes;
    });
  for (uint32_t I : Ejected) {
    double Best = 0;
    uint32_t BestLine = ~0u;
    for (uint32_t Line = 0; Line + 1 < State.lineCount(); ++Line) {
      if (!State.fits(I, Line))
        continue;
      double Join = State.join(I, Line);
      if (BestLine == ~0u || Join < Best) {
        Best = Join;
        BestLine = Line;
      }
    }
    if (BestLine == ~0u)
      return false;
    shift(I, BestLine, Best);
    touch(BestLine);
  }
  return true;
}

/// An item that shares a set with this one, or the item itself.
uint32_t PackingSearch::partner(uint32_t Item) {
  const auto &Sets = State.items()[Item].Sets;
  const auto &Others = SetItems[Sets[below(Sets.size())].Set];
  return Others[below(Others.size())];
}

/// Brings the item to the line; others make room.
bool PackingSearch::pullTo(uint32_t Item, uint32_t Line) {
  const uint32_t Segment = State.items()[Item].Segment;
  eject(Item);
  Ejected.pop_back();
  while (!State.fits(Item, Line)) {
    std::vector<uint32_t> Others;
    for (uint32_t I : State.on(Line))
      if (State.items()[I].Segment == Segment)
        Others.push_back(I);
    if (Others.empty())
      return false;
    eject(Others[below(Others.size())]);
  }
  shift(Item, Line, State.join(Item, Line));
  touch(Line);
  return insertEjected();
}

/// Empties both lines and deals out anew.
bool PackingSearch::remakeLines(uint32_t A, uint32_t B) {
  for (uint32_t Line : {A, B})
    while (!State.on(Line).empty())
      eject(State.on(Line).back());
  return insertEjected();
}

/// Up to six items of a set look for new places.
bool PackingSearch::scatterSet(uint32_t Set) {
  auto Some = SetItems[Set];
  for (size_t Count = 2 + below(5); Count && !Some.empty(); --Count) {
    std::swap(Some[below(Some.size())], Some.back());
    eject(Some.back());
    Some.pop_back();
  }
  return insertEjected();
}

/// Trades places with some item of its shape on the line.
bool PackingSearch::trade(uint32_t Item, uint32_t Line) {
  std::vector<uint32_t> Others;
  for (uint32_t I : State.on(Line))
    if (State.alike(Item, I))
      Others.push_back(I);
  const uint32_t From = State.items()[Item].Line;
  if (Others.empty() || From == Line)
    return false;
  const uint32_t Other = Others[below(Others.size())];
  shift(Item, Line, State.swap(Item, Other));
  shift(Other, From, 0);
  touch(From);
  touch(Line);
  return true;
}

bool PackingSearch::upset() {
  Ejected.clear();
  if (State.mode() == Packing::Mode::Exchange) {
    bool Done = false;
    for (uint64_t Count = 1 + below(3); Count; --Count) {
      const uint32_t A = Movable[below(Movable.size())];
      Done |= trade(A, State.items()[partner(A)].Line);
    }
    return Done;
  }
  const uint32_t A = Movable[below(Movable.size())], B = partner(A);
  const uint32_t LineA = State.items()[A].Line, LineB = State.items()[B].Line;
  switch (below(4)) {
  case 0:
    return remakeLines(LineA, LineB);
  case 1: {
    const auto &Sets = State.items()[A].Sets;
    return scatterSet(Sets[below(Sets.size())].Set);
  }
  default:
    return LineA != LineB &&
           State.items()[A].Segment == State.items()[B].Segment &&
           pullTo(A, LineB);
  }
}

void PackingSearch::undo() {
  for (; !Log.empty(); Log.pop_back())
    State.move(Log.back().first, Log.back().second);
  for (uint32_t I : Queue)
    Queued[I] = false;
  Queue.clear();
}

void PackingSearch::run(uint64_t Budget) {
  if (Movable.size() < 2)
    return;
  const uint64_t Begin = State.work(), Stop = Begin + Budget;
  for (uint32_t Line = 0; Line + 1 < State.lineCount(); ++Line)
    touch(Line);
  improve(Stop);
  auto Keep = [&] {
    if (Change < BestChange) {
      BestChange = Change;
      for (uint32_t I = 0; I < BestLines.size(); ++I)
        BestLines[I] = State.items()[I].Line;
    }
    Log.clear();
  };
  Keep();
  // What has been tried often enough without effect is left.
  const size_t Patience = 1000 + 50 * Movable.size();
  for (size_t Idle = 0; State.work() < Stop && Idle < Patience; ++Idle) {
    const double Before = Change;
    const double Left =
        static_cast<double>(Stop - State.work()) / static_cast<double>(Budget);
    bool Done = upset();
    if (Done)
      improve(Stop);
    if (Done && Change <= BestChange + 0.005 * Left * Cost) {
      if (Change < BestChange - 1e-9 * Cost)
        Idle = 0;
      Keep();
      continue;
    }
    undo();
    Change = Before;
  }
}

MoveUnitOrder PackingSearch::order() {
  for (uint32_t I = 0; I < BestLines.size(); ++I)
    if (State.items()[I].Line != BestLines[I])
      State.move(I, BestLines[I]);
  return State.order();
}

} // namespace kst
