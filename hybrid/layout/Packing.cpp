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

Packing::Packing(const SearchSpace &Space, const BrickOrder &Order, Mode Kind)
    : Space(Space), Start(Order), Sets(Space.model().setCount()), Kind(Kind),
      Segments(Space.brickCount()), StartByte(Space.brickCount(), ~0ull),
      ChanceOf(Sets) {
  const auto &Bricks = Space.rules().bricks();
  for (size_t At = 1; At < Start.size(); ++At)
    Segments[Start[At]] =
        Segments[Start[At - 1]] +
        (Bricks[Start[At]].Segment != Bricks[Start[At - 1]].Segment);
  const uint64_t LineBytes = Space.model().options().LineBytes;
  const Layout Plan = Space.layout(Order);
  Lines =
      static_cast<uint32_t>((Plan.SizeBytes + LineBytes - 1) / LineBytes) + 1;
  Members.resize(Lines);
  Chances.resize(Lines * Sets);
  for (uint32_t U = 0; U < Space.brickCount(); ++U)
    for (uint32_t F : Space.rules().bricks()[U].Fields)
      StartByte[U] = std::min(StartByte[U], Plan.OffsetBits[F] / 8);
  measureRoom((Lines - 1) * LineBytes);
  addItems();
  Work += Chances.size() + Space.brickCount();
}

bool Packing::post(uint32_t Brick) const {
  const uint64_t LineBytes = Space.model().options().LineBytes;
  const BrickShape &Shape = Space.shape(Brick);
  if (!Space.rules().bricks()[Brick].Movable)
    return true;
  if (!Shape.Active && Kind == Mode::Repack)
    return false;
  return StartByte[Brick] % LineBytes + Shape.SizeBytes > LineBytes;
}

/// Each segment has the bytes from its first brick to the next segment's, less
/// those of what is fixed in it.
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
  std::vector<uint32_t> ItemOf(Space.brickCount(), ~0u);
  for (uint32_t U : Start) {
    const Brick &Info = Space.rules().bricks()[U];
    std::map<uint32_t, double> Miss;
    for (uint32_t F : Info.Fields)
      for (uint32_t S : Model.setsOf(F))
        for (auto [Field, P] : Model.touches(S))
          if (Field == F)
            Miss.try_emplace(S, 1.0).first->second *= 1 - P;
    if (Miss.empty() && Kind == Mode::Repack)
      continue;
    Item New;
    New.Brick = U;
    New.Segment = Segments[U];
    New.Line = static_cast<uint32_t>(StartByte[U] / Model.options().LineBytes);
    New.Bytes = Space.shape(U).SizeBytes;
    New.Fixed = post(U);
    for (auto [S, M] : Miss)
      New.Sets.emplace_back(S, 1 - M);
    ItemOf[U] = static_cast<uint32_t>(Items.size());
    Items.push_back(std::move(New));
  }
  for (Item &I : Items) {
    std::map<uint32_t, double> Costs;
    for (uint32_t F : Space.rules().bricks()[I.Brick].Fields)
      for (const Conflicts::Neighbour &H : Model.conflicts().of(F)) {
        uint32_t Other = ItemOf[Space.rules().brickOf(H.Field)];
        if (Other != ~0u && Items[Other].Brick != I.Brick)
          Costs[Other] += Model.options().LambdaShare * H.Weight;
      }
    I.Clashes.assign(Costs.begin(), Costs.end());
  }
  Own.assign(Items.size(), -1);
  for (uint32_t I = 0; I < Items.size(); ++I)
    put(I, Items[I].Line);
}

void Packing::put(uint32_t I, uint32_t Line) {
  Item &It = Items[I];
  It.Line = Line;
  for (auto [S, P] : It.Sets)
    chance(Line, S).add(P);
  for (uint32_t J : Members[Line])
    Own[J] = -1;
  Own[I] = -1;
  Work += It.Sets.size();
  if (It.Fixed) {
    const uint64_t LineBytes = Space.model().options().LineBytes;
    if (It.Bytes <= LineBytes &&
        StartByte[It.Brick] % LineBytes + It.Bytes > LineBytes)
      for (auto [S, P] : It.Sets)
        chance(Line + 1, S).add(P);
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
  for (auto [S, P] : It.Sets)
    chance(It.Line, S).remove(P);
  for (uint32_t J : Here)
    Own[J] = -1;
  Work += It.Sets.size();
  put(I, Line);
}

double Packing::own(uint32_t I) {
  if (Own[I] >= 0)
    return Own[I];
  const Item &It = Items[I];
  double Sum = 0;
  for (auto [S, P] : It.Sets)
    Sum += Space.model().weight(S) * P * chance(It.Line, S).missWithout(P);
  for (auto [J, Price] : It.Clashes)
    if (Items[J].Line == It.Line)
      Sum += Price;
  Work += It.Sets.size() + It.Clashes.size();
  return Own[I] = Sum;
}

double Packing::join(uint32_t I, uint32_t Line) {
  const Item &It = Items[I];
  double Sum = 0;
  for (auto [S, P] : It.Sets)
    Sum += Space.model().weight(S) * P * chance(Line, S).miss();
  for (auto [J, Price] : It.Clashes)
    if (Items[J].Line == Line)
      Sum += Price;
  Work += It.Sets.size() + It.Clashes.size();
  return Sum;
}

bool Packing::alike(uint32_t A, uint32_t B) const {
  const Item &X = Items[A], &Y = Items[B];
  return X.Bytes == Y.Bytes && X.Segment == Y.Segment && !X.Fixed && !Y.Fixed &&
         Space.shape(X.Brick).AlignBytes == Space.shape(Y.Brick).AlignBytes;
}

double Packing::clash(uint32_t A, uint32_t B) const {
  const auto &All = Items[A].Clashes;
  auto At = std::lower_bound(All.begin(), All.end(),
                             std::pair<uint32_t, double>(B, 0));
  return At != All.end() && At->first == B ? At->second : 0;
}

double Packing::swapRest(uint32_t A, uint32_t B) {
  if (ChanceItem != A) {
    if (ChanceItem != ~0u)
      for (auto [S, P] : Items[ChanceItem].Sets)
        ChanceOf[S] = 0;
    for (auto [S, P] : Items[A].Sets)
      ChanceOf[S] = P;
    ChanceItem = A;
  }
  const uint32_t LineA = Items[A].Line, LineB = Items[B].Line;
  double Sum = -own(A) - own(B) - 2 * clash(A, B);
  for (auto [S, P] : Items[B].Sets) {
    const double W = Space.model().weight(S), Q = ChanceOf[S];
    if (Q == 0) {
      Sum += W * P * chance(LineA, S).miss();
      continue;
    }
    // B joins the line without A, A the line without B.
    Sum += W * P * chance(LineA, S).missWithout(Q);
    const Chance &There = chance(LineB, S);
    Sum += W * Q * (There.missWithout(P) - There.miss());
  }
  for (auto [J, Price] : Items[B].Clashes)
    if (Items[J].Line == LineA)
      Sum += Price;
  // What A meets on B's line but B is in join(); B's own clash with A on A's
  // line was counted just now: both are taken off above.
  Work += Items[B].Sets.size() + Items[B].Clashes.size();
  return Sum;
}

} // namespace kst
