// SPDX-License-Identifier: GPL-2.0-or-later
//
// See LineList.h: a depth-first search over the items of a line, cut off by the
// bound of a knapsack (LinePricing.cpp says why).

#include "hybrid/layout/bound/LineList.h"

namespace kst {

static constexpr size_t MostLines = 400'000;

LineList::LineList(const LineProblem &Problem, const PartitionBound &Program,
                   uint64_t Budget)
    : Problem(Problem), N(Problem.itemCount()), Budget(Budget),
      Prices(Program.Prices), Charge(Program.Charge), Bound(Program.Bound),
      Meets(N), Weight(Problem.setCount()), Unwritten(Problem.setCount(), 1.0),
      Left(Problem.setCount()), LeftUnwritten(Problem.setCount()) {
  for (uint32_t I = 0; I < N; ++I)
    for (uint32_t J = 0; J < N; ++J)
      if (I != J && Problem.mayMeet(I, J))
        Meets[I] |= bitOf(J);
  for (uint32_t I = 0; I < N; ++I)
    if (Problem.item(I).Flexible)
      Tail = bitOf(I);
  for (size_t S = 0; S < Weight.size(); ++S)
    Weight[S] = Problem.weight(S);
}

bool LineList::list(double Slack) {
  Lines.clear();
  Threshold = -Slack * (1 + 1e-9) - 1e-12 * Bound;
  Overrun = false;
  if (Tail) { // by itself its slack is less than the search below assumes
    uint32_t I = static_cast<uint32_t>(std::countr_zero(Tail));
    offer(with({}, I, false));
    TailDone = true;
  }
  extend({}, 0);
  TailDone = false;
  return !Overrun;
}

/// Adds item I to the line, which Weight, Unwritten and Cost then tell.
LineList::Chosen LineList::with(const Chosen &Line, uint32_t I,
                                bool Part) const {
  Chosen Next = Line;
  const LineItem &Item = Problem.item(I);
  for (auto [Set, P, W] : Problem.setsOf(I)) {
    Next.Cost += Weight[Set] * P;
    Next.Use.add(Problem.meeting(Set), Weight[Set] / Problem.weight(Set) * P,
                 Unwritten[Set] * W);
  }
  Next.Cost += Problem.sharing(Next.Use) - Problem.sharing(Line.Use);
  Next.Meets &= Meets[I];
  if (Part) {
    Next.Part |= bitOf(I);
    Next.Grains += grain(I);
  } else {
    Next.Whole |= bitOf(I);
    Next.Used += Item.Bits;
    Next.Price += price(I);
    uint32_t Ends = uint32_t(Item.Large) + uint32_t(Item.StartsLine);
    Next.MostParts -= std::min(Next.MostParts, Ends);
  }
  return Next;
}

void LineList::offer(const Chosen &Line) {
  const uint32_t Room = Problem.lineBits() - Line.Used;
  const double Pays = counts(Line.Whole, Line.Part) ? Charge : 0;
  ListedLine Found{
      Line.Whole, Line.Part, Line.Cost, Line.Cost + Pays - Line.Price, 0, Room};
  bool Fits = false; // a crossing item could be there whole
  forEachItem(Line.Part, [&](uint32_t I) {
    uint32_t Others = 0;
    forEachItem(Line.Part & ~bitOf(I),
                [&](uint32_t J) { Others = bits(J) - grain(J); });
    Fits |= Line.Used + bits(I) + Others <= Problem.lineBits();
  });
  if (Fits)
    return;
  Found.Least = Found.Base;
  double Together = Found.Base;
  uint32_t First = 32, Second = 32;
  forEachItem(Line.Part, [&](uint32_t I) {
    (First == 32 ? First : Second) = I;
    Found.Least -= partPrice(I, mostPart(I, Room));
  });
  if (Second == 32) {
    Together = Found.Least;
  } else {
    if (price(Second) * bits(First) > price(First) * bits(Second))
      std::swap(First, Second);
    uint32_t A = mostPart(First, Room - grain(Second));
    Together -=
        partPrice(First, A) + partPrice(Second, mostPart(Second, Room - A));
  }
  if (-Together >= Threshold)
    Lines.push_back(Found);
  if (Lines.size() > MostLines)
    Overrun = true;
}

bool LineList::joinsWhole(const Chosen &Line, uint32_t I) const {
  return bits(I) <= Problem.lineBits() - Line.Used - Line.Grains;
}

bool LineList::joinsInPart(const Chosen &Line, uint32_t I) const {
  return Problem.item(I).Splits &&
         static_cast<uint32_t>(std::popcount(Line.Part)) < Line.MostParts &&
         grain(I) <= Problem.lineBits() - Line.Used - Line.Grains;
}

LineList::Outlook LineList::outlook(const Chosen &Line, uint32_t From) {
  struct Piece {
    double Value;
    uint32_t Bits;
  };
  Piece Pieces[34];
  uint32_t Count = 0;
  Outlook Ahead;
  for (uint32_t I = From; I < N; ++I)
    for (const LineProblem::Touch &T : Problem.setsOf(I))
      Left[T.Other] = 0;
  LineUse Most; // that all of them can add: once what each set has left
  for (uint32_t I = From; I < N; ++I)
    for (const LineProblem::Touch &T : Problem.setsOf(I))
      if (Left[T.Other] == 0) {
        Left[T.Other] = LeftUnwritten[T.Other] = 1;
        Most.add(Problem.meeting(T.Other),
                 Weight[T.Other] / Problem.weight(T.Other), Unwritten[T.Other]);
      }
  const LineUse Slopes = Problem.sharingSlopes(Line.Use, Most);
  for (uint32_t I = From; I < N; ++I) {
    if (!(Line.Meets & bitOf(I)) ||
        (!joinsWhole(Line, I) && !joinsInPart(Line, I)))
      continue;
    double Sum = price(I);
    LineUse Adds; // for certain
    for (auto [Set, P, W] : Problem.setsOf(I)) {
      Sum -= Weight[Set] * P * Left[Set];
      Adds.add(Problem.meeting(Set),
               Weight[Set] / Problem.weight(Set) * P * Left[Set],
               Unwritten[Set] * W * LeftUnwritten[Set]);
      Left[Set] *= 1 - P;
      LeftUnwritten[Set] *= 1 - W;
    }
    Sum -= Slopes * Adds;
    Work += 2 * Problem.setsOf(I).size();
    Ahead.Open |= bitOf(I);
    Ahead.Gain[I] = Sum;
    if (Sum > 0)
      Pieces[Count++] = {Sum, bits(I)};
  }
  Work += 20 + 6 * Count;
  if (!Ahead.Open)
    return Ahead;
  forEachItem(Line.Part, [&](uint32_t I) {
    uint32_t Most = bits(I) - grain(I);
    Pieces[Count++] = {partPrice(I, Most), Most};
  });
  std::sort(Pieces, Pieces + Count, [](const Piece &A, const Piece &B) {
    return A.Value * B.Bits > B.Value * A.Bits;
  });
  double Free = Problem.lineBits() - Line.Used;
  Ahead.Most = Line.Price - Line.Cost - Charge;
  for (uint32_t I = 0; I < Count; ++I) {
    double Share = std::min(1.0, Free / Pieces[I].Bits);
    Ahead.Most += Share * Pieces[I].Value;
    Free -= Share * Pieces[I].Bits;
    if (Share < 1) {
      Ahead.PerBit = Pieces[I].Value / Pieces[I].Bits;
      break;
    }
  }
  return Ahead;
}

/// All lines with these items and others of index `From` and above.
void LineList::extend(const Chosen &Line, uint32_t From) {
  if (Overrun || spent()) {
    Overrun = true;
    return;
  }
  if ((Line.Whole | Line.Part) && !(TailDone && !counts(Line.Whole, Line.Part)))
    offer(Line);
  const uint32_t Room = Problem.lineBits() - Line.Used - Line.Grains;
  const Outlook Ahead = outlook(Line, From);
  double Most = Ahead.Most;
  if (!Ahead.Open || Most < Threshold)
    return;
  // By duality, Most falls by what an item that is there is below its price.
  for (uint32_t I = From; I < N; ++I) {
    if (!(Ahead.Open & bitOf(I)))
      continue;
    // Most: lines whose further items are I and above.
    double Over = Ahead.Gain[I] - Ahead.PerBit * bits(I);
    bool Whole = joinsWhole(Line, I) && Most + std::min(0.0, Over) >= Threshold;
    double Paid = price(I) - Ahead.Gain[I];
    double AsPart = std::max(0.0, partPrice(I, mostPart(I, Room)) -
                                      Ahead.PerBit * mostPart(I, Room)) -
                    Paid;
    bool Part = joinsInPart(Line, I) &&
                Most - std::max(0.0, Over) + AsPart >= Threshold;
    if (Whole || Part)
      branch(Line, I, Whole, Part);
    Most -= std::max(0.0, Over);
    if (Most < Threshold)
      break;
  }
}

/// The lines with item I, whole or in part, and items behind it.
void LineList::branch(const Chosen &Line, uint32_t I, bool Whole, bool Part) {
  Chosen AsWhole, InPart;
  if (Whole)
    AsWhole = with(Line, I, false);
  if (Part)
    InPart = with(Line, I, true);
  if (AsWhole.MostParts < static_cast<uint32_t>(std::popcount(Line.Part)))
    Whole = false;
  Work += 3 * Problem.setsOf(I).size();
  size_t Saved = Stack.size();
  for (auto [Set, P, W] : Problem.setsOf(I)) {
    Stack.push_back(Weight[Set]);
    Stack.push_back(Unwritten[Set]);
    Weight[Set] *= 1 - P;
    Unwritten[Set] *= 1 - W;
  }
  if (Whole)
    extend(AsWhole, I + 1);
  if (Part)
    extend(InPart, I + 1);
  size_t Index = Saved;
  for (const LineProblem::Touch &T : Problem.setsOf(I)) {
    Weight[T.Other] = Stack[Index++];
    Unwritten[T.Other] = Stack[Index++];
  }
  Stack.resize(Saved);
}

} // namespace kst
