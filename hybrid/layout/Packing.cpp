// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Packing.h"

#include <algorithm>
#include <map>

namespace kst {

void Packing::Chance::add(double P) {
  if (P >= 1)
    ++Certain;
  else
    Product *= 1 - P;
}

void Packing::Chance::remove(double P) {
  if (P >= 1)
    --Certain;
  else
    Product /= 1 - P;
}

Packing::Packing(const SearchSpace &Space, const MoveUnitOrder &Order,
                 Mode Kind)
    : Space(Space), Start(Order), Sets(Space.model().setCount()), Kind(Kind),
      Segments(Space.brickCount()), StartByte(Space.brickCount(), ~0ull),
      Gone(Sets) {
  const auto &MoveUnits = Space.rules().bricks();
  for (size_t At = 1; At < Start.size(); ++At)
    Segments[Start[At]] =
        Segments[Start[At - 1]] +
        (MoveUnits[Start[At]].Segment != MoveUnits[Start[At - 1]].Segment);
  const uint64_t LineBytes = Space.model().options().LineBytes;
  const Layout Plan = Space.layout(Order);
  Lines =
      static_cast<uint32_t>((Plan.SizeBytes + LineBytes - 1) / LineBytes) + 1;
  Members.resize(Lines);
  Chances.resize(Lines * Sets);
  Uses.resize(Lines);
  Lost.assign(Lines, -1);
  for (uint32_t U = 0; U < Space.brickCount(); ++U)
    for (uint32_t F : Space.rules().bricks()[U].Fields)
      StartByte[U] = std::min(StartByte[U], Plan.OffsetBits[F] / 8);
  measureRoom((Lines - 1) * LineBytes);
  addItems();
  Work += Chances.size() + Space.brickCount();
}

bool Packing::post(uint32_t MoveUnit) const {
  const uint64_t LineBytes = Space.model().options().LineBytes;
  const MoveUnitShape &Shape = Space.shape(MoveUnit);
  if (!Space.rules().bricks()[MoveUnit].Movable)
    return true;
  if (!Shape.Active && Kind == Mode::Repack)
    return false;
  return StartByte[MoveUnit] % LineBytes + Shape.SizeBytes > LineBytes;
}

/// Each segment has the bytes from its first move unit to the next segment's,
/// less those of what is fixed in it.
void Packing::measureRoom(uint64_t SizeBytes) {
  const uint64_t LineBytes = Space.model().options().LineBytes;
  Room.assign((Start.empty() ? 0 : Segments[Start.back()] + 1ull) * Lines, 0);
  auto Add = [&](uint32_t Segment, uint64_t Begin, uint64_t End, int64_t Sign) {
    for (uint64_t L = Begin / LineBytes; L * LineBytes < End; ++L)
      if (L < Lines)
        Room[Segment * Lines + L] +=
            Sign * static_cast<int64_t>(std::min(End, (L + 1) * LineBytes) -
                                        std::max(Begin, L * LineBytes));
  };
  uint64_t Begin = 0;
  for (size_t At = 0; At < Start.size(); ++At) {
    const uint32_t U = Start[At], Segment = Segments[U];
    if (post(U))
      Add(Segment, StartByte[U], StartByte[U] + Space.shape(U).SizeBytes, -1);
    bool Last = At + 1 == Start.size();
    if (!Last && Segments[Start[At + 1]] == Segment)
      continue;
    uint64_t End = Last ? SizeBytes : StartByte[Start[At + 1]];
    Add(Segment, Begin, End, 1);
    Begin = End;
  }
}

void Packing::addItems() {
  const LayoutCost &Model = Space.model();
  for (uint32_t U : Start) {
    const MoveUnit &Info = Space.rules().bricks()[U];
    std::map<uint32_t, std::pair<double, double>>
        Spared; // untouched, unwritten
    for (uint32_t F : Info.Fields)
      for (uint32_t S : Model.setsOf(F))
        for (auto [Field, P, W] : Model.fieldTouches(S))
          if (Field == F) {
            auto &[Untouched, Unwritten] =
                Spared.try_emplace(S, 1.0, 1.0).first->second;
            Untouched *= 1 - P;
            Unwritten *= 1 - W;
          }
    if (Spared.empty() && Kind == Mode::Repack)
      continue;
    Item New;
    New.MoveUnit = U;
    New.Segment = Segments[U];
    New.Line = static_cast<uint32_t>(StartByte[U] / Model.options().LineBytes);
    New.Bytes = Space.shape(U).SizeBytes;
    New.Fixed = post(U);
    for (auto &[S, Of] : Spared)
      New.Sets.push_back({S, 1 - Of.first, 1 - Of.second});
    Items.push_back(std::move(New));
  }
  OwnAdded.resize(Items.size());
  Own.assign(Items.size(), -1);
  for (uint32_t I = 0; I < Items.size(); ++I)
    put(I, Items[I].Line);
}

void Packing::join(const Item &It, uint32_t Line) {
  for (auto [S, P, W] : It.Sets) {
    SetOnLine &Here = chance(Line, S);
    Uses[Line].add(Space.model().meeting(S), P * Here.Touched.miss(),
                   W * Here.Written.miss());
    Here.Touched.add(P);
    Here.Written.add(W);
  }
  Lost[Line] = -1;
  Work += It.Sets.size();
}

void Packing::leave(const Item &It, uint32_t Line) {
  LineUse Less;
  for (auto [S, P, W] : It.Sets) {
    SetOnLine &Here = chance(Line, S);
    Here.Touched.remove(P);
    Here.Written.remove(W);
    Less.add(Space.model().meeting(S), P * Here.Touched.miss(),
             W * Here.Written.miss());
  }
  Uses[Line] += -Less;
  Lost[Line] = -1;
  Work += It.Sets.size();
}

void Packing::put(uint32_t I, uint32_t Line) {
  Item &It = Items[I];
  It.Line = Line;
  join(It, Line);
  for (uint32_t J : Members[Line])
    Own[J] = -1;
  Own[I] = -1;
  if (It.Fixed) {
    const uint64_t LineBytes = Space.model().options().LineBytes;
    if (It.Bytes <= LineBytes &&
        StartByte[It.MoveUnit] % LineBytes + It.Bytes > LineBytes)
      join(It, Line + 1);
    return;
  }
  Members[Line].push_back(I);
  Room[It.Segment * Lines + Line] -= static_cast<int64_t>(It.Bytes);
}

void Packing::move(uint32_t I, uint32_t Line) {
  Item &It = Items[I];
  auto &Here = Members[It.Line];
  Here.erase(std::ranges::find(Here, I));
  Room[It.Segment * Lines + It.Line] += static_cast<int64_t>(It.Bytes);
  leave(It, It.Line);
  for (uint32_t J : Here)
    Own[J] = -1;
  put(I, Line);
}

double Packing::price(uint32_t Line, const LineUse &Change) {
  if (Lost[Line] < 0)
    Lost[Line] = Space.model().sharing(Uses[Line]);
  return Space.model().sharing(Uses[Line] + Change) - Lost[Line];
}

Packing::Added Packing::added(const Item &It, uint32_t Line) {
  Added Sum;
  for (auto [S, P, W] : It.Sets) {
    const SetOnLine &Here = chance(Line, S);
    const double More = P * Here.Touched.miss();
    Sum.Lines += Space.model().weight(S) * More;
    Sum.Use.add(Space.model().meeting(S), More, W * Here.Written.miss());
  }
  Work += It.Sets.size();
  return Sum;
}

double Packing::own(uint32_t I) {
  if (Own[I] >= 0)
    return Own[I];
  const Item &It = Items[I];
  Added &Sum = OwnAdded[I] = {};
  for (auto [S, P, W] : It.Sets) {
    const SetOnLine &Here = chance(It.Line, S);
    const double More = P * Here.Touched.missWithout(P);
    Sum.Lines += Space.model().weight(S) * More;
    Sum.Use.add(Space.model().meeting(S), More,
                W * Here.Written.missWithout(W));
  }
  Work += It.Sets.size();
  return Own[I] = std::max(0.0, Sum.Lines - price(It.Line, -Sum.Use));
}

double Packing::join(uint32_t I, uint32_t Line) {
  const Added Sum = added(Items[I], Line);
  return Sum.Lines + price(Line, Sum.Use);
}

bool Packing::alike(uint32_t A, uint32_t B) const {
  const Item &X = Items[A], &Y = Items[B];
  return X.Bytes == Y.Bytes && X.Segment == Y.Segment && !X.Fixed && !Y.Fixed &&
         Space.shape(X.MoveUnit).AlignBytes ==
             Space.shape(Y.MoveUnit).AlignBytes;
}

Packing::Added Packing::addedWithout(const Item &In, uint32_t Line,
                                     uint32_t Out) {
  if (GoneItem != Out) {
    if (GoneItem != ~0u)
      for (const Item::Touch &T : Items[GoneItem].Sets)
        Gone[T.Set] = {};
    for (const Item::Touch &T : Items[Out].Sets)
      Gone[T.Set] = {T.P, T.W};
    GoneItem = Out;
  }
  Added Sum;
  for (auto [S, P, W] : In.Sets) {
    const SetOnLine &Here = chance(Line, S);
    const double More = P * Here.Touched.missWithout(Gone[S].first);
    Sum.Lines += Space.model().weight(S) * More;
    Sum.Use.add(Space.model().meeting(S), More,
                W * Here.Written.missWithout(Gone[S].second));
  }
  Work += In.Sets.size();
  return Sum;
}

double Packing::swap(uint32_t A, uint32_t B) {
  double Sum = 0;
  for (auto [In, Out] : {std::pair(A, B), std::pair(B, A)}) {
    own(Out);
    const uint32_t Line = Items[Out].Line;
    const Added More = addedWithout(Items[In], Line, Out);
    Sum += More.Lines - OwnAdded[Out].Lines +
           price(Line, More.Use - OwnAdded[Out].Use);
  }
  return Sum;
}

} // namespace kst
