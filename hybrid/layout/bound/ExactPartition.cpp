// SPDX-License-Identifier: GPL-2.0-or-later
//
// See ExactPartition.h.

#include "hybrid/layout/bound/ExactPartition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace kst {

namespace {

using Mask = uint32_t;

constexpr Mask bitOf(uint32_t I) { return Mask(1) << I; }

/// What a line holds.
struct Line {
  Mask Whole = 0, Part = 0;
  double Cost = 0;
  double Base = 0;   ///< cost + charge - prices of the whole items
  double Least = 0;  ///< slack, each crossing item having all room for itself
  uint32_t Room = 0; ///< bits left for the parts
};

class Partition {
public:
  Partition(const LineProblem &Problem, const PartitionBound &Program,
            uint64_t Budget)
      : Problem(Problem), N(Problem.itemCount()), Budget(Budget),
        Prices(Program.Prices), Charge(Program.Charge), Bound(Program.Bound),
        Meets(N), Weight(Problem.setCount()), Left(Problem.setCount()) {
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

  ExactPartition run() {
    ExactPartition Result;
    Result.Value = Bound * (1 - 1e-9);
    double Slack = 1e-5 * Bound;
    for (int Round = 0; Round < 30; ++Round) {
      if (!list(Slack) || !choose(Slack))
        break;
      if (BestOver <= Slack) {
        Result.Exact = true;
        Result.Value = BestCost * (1 - 1e-10);
        publish(Result);
        break;
      }
      Result.Value = std::max(Result.Value, (Bound + Slack) * (1 - 1e-9));
      double More = 4 * Slack;
      if (BestOver < 4 * More)
        More = BestOver * (1 + 1e-9) + 1e-12 * Bound;
      Slack = More;
    }
    Result.Work = Work;
    return Result;
  }

private:
  double price(uint32_t I) const { return Prices[I]; }
  uint32_t bits(uint32_t I) const { return Problem.item(I).Bits; }
  uint32_t grain(uint32_t I) const { return Problem.item(I).Grain; }
  /// Bits of a crossing item that one of its lines holds at most.
  uint32_t mostPart(uint32_t I, uint32_t Room) const {
    return std::min(Room, bits(I) - grain(I));
  }
  double partPrice(uint32_t I, uint32_t Bits) const {
    return price(I) * Bits / bits(I);
  }
  template <typename Do> static void each(Mask M, Do What) {
    for (; M; M &= M - 1)
      What(static_cast<uint32_t>(std::countr_zero(M)));
  }

  /// False for a flexible array by itself.
  bool counts(Mask Whole, Mask Part) const {
    return !Tail || Whole != Tail || Part;
  }

  // The list of lines.

  struct Chosen {
    Mask Whole = 0, Part = 0, Meets = ~Mask(0);
    uint32_t Used = 0, Grains = 0, MostParts = 2;
    double Cost = 0, Price = 0; ///< price: of the whole items
  };

  bool list(double Slack) {
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

  /// Adds item I to the line, which Weight and Cost then tell.
  Chosen with(const Chosen &At, uint32_t I, bool Part) const {
    Chosen Next = At;
    const LineItem &Item = Problem.item(I);
    Next.Cost += Problem.within(I);
    each(At.Whole | At.Part,
         [&](uint32_t J) { Next.Cost += Problem.conflict(I, J); });
    for (auto [Set, P] : Problem.setsOf(I))
      Next.Cost += Weight[Set] * P;
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

  void offer(const Chosen &At) {
    const uint32_t Room = Problem.lineBits() - At.Used;
    const double Pays = counts(At.Whole, At.Part) ? Charge : 0;
    Line Found{At.Whole, At.Part, At.Cost, At.Cost + Pays - At.Price, 0, Room};
    bool Fits = false; // a crossing item could be there whole
    each(At.Part, [&](uint32_t I) {
      uint32_t Others = 0;
      each(At.Part & ~bitOf(I),
           [&](uint32_t J) { Others = bits(J) - grain(J); });
      Fits |= At.Used + bits(I) + Others <= Problem.lineBits();
    });
    if (Fits)
      return;
    Found.Least = Found.Base;
    double Together = Found.Base;
    uint32_t First = 32, Second = 32;
    each(At.Part, [&](uint32_t I) {
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
    if (Lines.size() > 400'000)
      Overrun = true;
  }

  /// All lines with these items and others of index `From` and above.
  void extend(const Chosen &At, uint32_t From) {
    if (Overrun || Work > Budget) {
      Overrun = true;
      return;
    }
    if ((At.Whole | At.Part) && !(TailDone && !counts(At.Whole, At.Part)))
      offer(At);
    const uint32_t Room = Problem.lineBits() - At.Used - At.Grains;
    const uint32_t PartsLeft =
        At.MostParts - std::min<uint32_t>(At.MostParts, std::popcount(At.Part));

    // What each further item brings at most (LinePricing.cpp says why).
    struct Piece {
      double Value;
      uint32_t Bits;
    };
    Piece Pieces[34];
    double Gain[32] = {};
    uint32_t Count = 0;
    Mask Open = 0;
    for (uint32_t I = From; I < N; ++I)
      for (auto [Set, P] : Problem.setsOf(I))
        Left[Set] = 1;
    for (uint32_t I = From; I < N; ++I) {
      bool Whole = bits(I) <= Room;
      bool Part = Problem.item(I).Splits && PartsLeft && grain(I) <= Room;
      if (!(At.Meets & bitOf(I)) || (!Whole && !Part))
        continue;
      double Sum = price(I) - Problem.within(I);
      each(At.Whole | At.Part,
           [&](uint32_t J) { Sum -= Problem.conflict(I, J); });
      for (auto [Set, P] : Problem.setsOf(I)) {
        Sum -= Weight[Set] * P * Left[Set];
        Left[Set] *= 1 - P;
      }
      Work += 2 * Problem.setsOf(I).size();
      Open |= bitOf(I);
      Gain[I] = Sum;
      if (Sum > 0)
        Pieces[Count++] = {Sum, bits(I)};
    }
    Work += 20 + 6 * Count;
    if (!Open)
      return;
    each(At.Part, [&](uint32_t I) {
      uint32_t Most = bits(I) - grain(I);
      Pieces[Count++] = {partPrice(I, Most), Most};
    });
    std::sort(Pieces, Pieces + Count, [](const Piece &A, const Piece &B) {
      return A.Value * B.Bits > B.Value * A.Bits;
    });
    double PerBit = 0, Free = Problem.lineBits() - At.Used;
    double Most = At.Price - At.Cost - Charge;
    for (uint32_t I = 0; I < Count; ++I) {
      double Share = std::min(1.0, Free / Pieces[I].Bits);
      Most += Share * Pieces[I].Value;
      Free -= Share * Pieces[I].Bits;
      if (Share < 1) {
        PerBit = Pieces[I].Value / Pieces[I].Bits;
        break;
      }
    }
    if (Most < Threshold)
      return;
    // By duality, Most falls by what an item that is there is below its price.
    for (uint32_t I = From; I < N; ++I) {
      if (!(Open & bitOf(I)))
        continue;
      // Most: lines whose further items are I and above.
      double Over = Gain[I] - PerBit * bits(I);
      bool Splits = Problem.item(I).Splits && PartsLeft && grain(I) <= Room;
      bool Whole = bits(I) <= Room && Most + std::min(0.0, Over) >= Threshold;
      double Paid = price(I) - Gain[I];
      double AsPart = std::max(0.0, partPrice(I, mostPart(I, Room)) -
                                        PerBit * mostPart(I, Room)) -
                      Paid;
      bool Part = Splits && Most - std::max(0.0, Over) + AsPart >= Threshold;
      if (Whole || Part) {
        Chosen AsWhole, InPart;
        if (Whole)
          AsWhole = with(At, I, false);
        if (Part)
          InPart = with(At, I, true);
        if (AsWhole.MostParts < static_cast<uint32_t>(std::popcount(At.Part)))
          Whole = false;
        Work += 3 * Problem.setsOf(I).size();
        size_t Saved = Stack.size();
        for (auto [Set, P] : Problem.setsOf(I)) {
          Stack.push_back(Weight[Set]);
          Weight[Set] *= 1 - P;
        }
        if (Whole)
          extend(AsWhole, I + 1);
        if (Part)
          extend(InPart, I + 1);
        size_t Index = Saved;
        for (auto [Set, P] : Problem.setsOf(I))
          Weight[Set] = Stack[Index++];
        Stack.resize(Saved);
      }
      Most -= std::max(0.0, Over);
      if (Most < Threshold)
        break;
    }
  }

  // The choice among them.

  /// cost - bound, less the slacks, with so many lines.
  double over(uint32_t Count) const {
    double Extra = std::max(0.0, Count - Problem.freeLines());
    if (Extra > Problem.extraLines())
      return std::numeric_limits<double>::infinity();
    return std::max(0.0, Charge - Problem.linePrice()) * Problem.extraLines() +
           Charge * (Problem.freeLines() - Count) + Problem.linePrice() * Extra;
  }

  bool choose(double Slack) {
    std::stable_sort(
        Lines.begin(), Lines.end(),
        [](const Line &A, const Line &B) { return A.Least < B.Least; });
    With.assign(N, {});
    Partly.assign(N, {});
    for (uint32_t L = 0; L < Lines.size(); ++L) {
      each(Lines[L].Whole | Lines[L].Part,
           [&](uint32_t I) { With[I].push_back(L); });
      each(Lines[L].Part, [&](uint32_t I) { Partly[I].push_back(L); });
    }
    LeastOver.assign(N + 2, std::numeric_limits<double>::infinity());
    for (uint32_t C = 2 * N + 1; C-- > 0;) {
      double Here = over(C);
      if (C <= N)
        LeastOver[C] = std::min(LeastOver[C + 1], Here);
      else
        LeastOver[N + 1] = std::min(LeastOver[N + 1], Here);
    }
    Limit = Slack;
    BestOver = std::numeric_limits<double>::infinity();
    Best.clear();
    Seen.clear();
    Taken.clear();
    HalfPrice.assign(N, 0);
    HalfBits.assign(N, 0);
    Overrun = false;
    pick(0, 0, 0, 0);
    return !Overrun;
  }

  /// Covered: whole or in both parts. Half: one part. Crossed: in both.
  void pick(Mask Covered, Mask Half, Mask Crossed, double Sum) {
    if (Overrun || Work > Budget) {
      Overrun = true;
      return;
    }
    const Mask All = N == 32 ? ~Mask(0) : bitOf(N) - 1;
    uint32_t Count = static_cast<uint32_t>(Taken.size()) - TailAlone;
    if (Covered == All) {
      finish(Count);
      return;
    }
    if (!Half && !Crossed) {
      uint64_t Key = uint64_t(Count) << 32 | Covered;
      auto [Known, New] = Seen.try_emplace(Key, Sum);
      if (!New) {
        if (Known->second <= Sum)
          return;
        Known->second = Sum;
      }
    }
    uint32_t Item = N;
    size_t Fewest = ~size_t(0);
    each(All & ~Covered, [&](uint32_t I) {
      size_t Ways = Half & bitOf(I) ? Partly[I].size() : With[I].size();
      if (Ways < Fewest) {
        Fewest = Ways;
        Item = I;
      }
    });
    Work += 30;
    double Least = LeastOver[std::min(Count + !(Tail & ~Covered), N + 1)];
    for (uint32_t L : Half &bitOf(Item) ? Partly[Item] : With[Item]) {
      const Line &Next = Lines[L];
      ++Work;
      if (Sum + Next.Least + Least > Limit + 1e-12 * Bound)
        break;
      if ((Next.Whole & (Covered | Half)) || (Next.Part & Covered))
        continue;
      Mask NewHalf = Half ^ Next.Part, Ended = Half & Next.Part;
      double Total = Sum + Next.Base;
      bool Fits = true;
      each(Next.Part, [&](uint32_t I) {
        uint32_t Most = mostPart(I, Next.Room);
        if (Ended & bitOf(I)) {
          Total += HalfPrice[I] - price(I);
          Fits &= HalfBits[I] + Most >= bits(I);
        } else {
          HalfBits[I] = Most;
          HalfPrice[I] = partPrice(I, Most);
          Total -= HalfPrice[I];
        }
      });
      Work += 5;
      if (!Fits || Total + Least > Limit + 1e-12 * Bound)
        continue;
      // Deeper levels leave HalfBits and HalfPrice of half items as they are.
      Taken.push_back(L);
      const bool Uncounted = !counts(Next.Whole, Next.Part);
      TailAlone += Uncounted;
      pick(Covered | Next.Whole | Ended, NewHalf, Crossed | Ended, Total);
      TailAlone -= Uncounted;
      Taken.pop_back();
    }
  }

  /// Can the crossing items of the lines taken be cut so that all fit?
  bool fits() const {
    const uint32_t Count = static_cast<uint32_t>(Taken.size());
    Mask Done = 0; // lines, by position
    auto PartsOf = [&](uint32_t At) { return Lines[Taken[At]].Part; };
    for (uint32_t Start = 0; Start < Count; ++Start) {
      if (Done & bitOf(Start) || std::popcount(PartsOf(Start)) != 1)
        continue;
      // From one end of a chain to the other, each line as full as can be.
      uint32_t At = Start;
      Mask Came = 0;
      uint32_t Inside = 0;
      for (;;) {
        Done |= bitOf(At);
        Mask Goes = PartsOf(At) & ~Came;
        uint32_t Room = Lines[Taken[At]].Room;
        if (Inside > Room)
          return false;
        if (!Goes)
          break;
        uint32_t I = static_cast<uint32_t>(std::countr_zero(Goes));
        uint32_t Here = mostPart(I, Room - Inside);
        if (bits(I) % grain(I) == 0)
          Here = Here / grain(I) * grain(I);
        if (!Here)
          return false;
        Inside = bits(I) - Here;
        Came = Goes;
        uint32_t Next = 0;
        while (Next == At || !(PartsOf(Next) & Goes))
          ++Next;
        At = Next;
      }
    }
    for (uint32_t At = 0; At < Count; ++At) // what is left is a ring
      if (PartsOf(At) && !(Done & bitOf(At)))
        return false;
    return true;
  }

  void finish(uint32_t Count) {
    if (!fits())
      return;
    double Extra = std::max(0.0, Count - Problem.freeLines());
    if (Extra > Problem.extraLines())
      return;
    double Cost = Problem.linePrice() * Extra;
    for (uint32_t L : Taken)
      Cost += Lines[L].Cost;
    double Over = std::max(0.0, Cost - Bound);
    if (Over >= BestOver)
      return;
    BestOver = Over;
    BestCost = Cost;
    Best.clear();
    for (uint32_t L : Taken)
      Best.push_back(Lines[L]);
    Limit = std::min(Limit, BestOver);
  }

  void publish(ExactPartition &Result) const {
    for (const Line &L : Best) {
      std::vector<uint32_t> Fields;
      each(L.Whole | L.Part, [&](uint32_t I) {
        const auto &More = Problem.item(I).Fields;
        Fields.insert(Fields.end(), More.begin(), More.end());
      });
      Result.Lines.push_back(std::move(Fields));
    }
  }

  const LineProblem &Problem;
  const uint32_t N;
  const uint64_t Budget;
  const std::vector<double> &Prices;
  const double Charge, Bound;
  Mask Tail = 0; ///< the flexible array
  bool TailDone = false;
  uint32_t TailAlone = 0; ///< of the lines taken
  std::vector<Mask> Meets;
  std::vector<double> Weight; ///< per set: weight * chance of a miss so far
  std::vector<double> Left, Stack;
  double Threshold = 0, Limit = 0;
  bool Overrun = false;
  uint64_t Work = 0;
  std::vector<Line> Lines, Best;
  std::vector<std::vector<uint32_t>> With, Partly; ///< per item: lines
  std::vector<double> LeastOver; ///< of over(), for so many lines or more
  std::vector<uint32_t> Taken, HalfBits;
  std::vector<double> HalfPrice;
  std::unordered_map<uint64_t, double> Seen;
  double BestOver = 0, BestCost = 0;
};

} // namespace

ExactPartition exactPartition(const LineProblem &Problem,
                              const PartitionBound &Program, uint64_t Budget) {
  if (!Problem.itemCount() || Problem.itemCount() > MostExactItems ||
      Program.Prices.empty() || !(Program.Bound > 0))
    return {};
  return Partition(Problem, Program, Budget).run();
}

} // namespace kst
