// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/ExactPartition.h"

#include "hybrid/layout/bound/LineList.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace kst {

namespace {

class Partition {
public:
  Partition(const LineProblem &Problem, const PartitionBound &Program,
            uint64_t Budget)
      : Problem(Problem), N(Problem.itemCount()), Charge(Program.Charge),
        Bound(Program.Bound), List(Problem, Program, Budget) {}

  ExactPartition run() {
    ExactPartition Result;
    Result.Value = Bound * (1 - 1e-9);
    double Slack = 1e-5 * Bound;
    for (int Round = 0; Round < 30; ++Round) {
      if (!List.list(Slack) || !choose(Slack))
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
    Result.Work = List.Work;
    return Result;
  }

private:
  /// cost - bound, less the slacks, with so many lines.
  double over(uint32_t Count) const {
    double Extra = std::max(0.0, Count - Problem.freeLines());
    if (Extra > Problem.extraLines())
      return std::numeric_limits<double>::infinity();
    return std::max(0.0, Charge - Problem.linePrice()) * Problem.extraLines() +
           Charge * (Problem.freeLines() - Count) + Problem.linePrice() * Extra;
  }

  bool choose(double Slack) {
    std::vector<ListedLine> &Lines = List.lines();
    std::ranges::stable_sort(Lines,
                             [](const ListedLine &A, const ListedLine &B) {
                               return A.Least < B.Least;
                             });
    With.assign(N, {});
    Partly.assign(N, {});
    for (uint32_t L = 0; L < Lines.size(); ++L) {
      forEachItem(Lines[L].Whole | Lines[L].Part,
                  [&](uint32_t I) { With[I].push_back(L); });
      forEachItem(Lines[L].Part, [&](uint32_t I) { Partly[I].push_back(L); });
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
  void pick(ItemMask Covered, ItemMask Half, ItemMask Crossed, double Sum) {
    if (Overrun || List.spent()) {
      Overrun = true;
      return;
    }
    const ItemMask All = N == 32 ? ~ItemMask(0) : bitOf(N) - 1;
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
    forEachItem(All & ~Covered, [&](uint32_t I) {
      size_t Ways = Half & bitOf(I) ? Partly[I].size() : With[I].size();
      if (Ways < Fewest) {
        Fewest = Ways;
        Item = I;
      }
    });
    List.Work += 30;
    double Least =
        LeastOver[std::min(Count + !(List.tail() & ~Covered), N + 1)];
    for (uint32_t L : Half &bitOf(Item) ? Partly[Item] : With[Item]) {
      const ListedLine &Next = List.lines()[L];
      ++List.Work;
      if (Sum + Next.Least + Least > Limit + 1e-12 * Bound)
        break;
      if ((Next.Whole & (Covered | Half)) || (Next.Part & Covered))
        continue;
      ItemMask NewHalf = Half ^ Next.Part, Ended = Half & Next.Part;
      double Total = Sum + Next.Base;
      bool Fits = true;
      forEachItem(Next.Part, [&](uint32_t I) {
        uint32_t Most = List.mostPart(I, Next.Room);
        if (Ended & bitOf(I)) {
          Total += HalfPrice[I] - List.price(I);
          Fits &= HalfBits[I] + Most >= List.bits(I);
        } else {
          HalfBits[I] = Most;
          HalfPrice[I] = List.partPrice(I, Most);
          Total -= HalfPrice[I];
        }
      });
      List.Work += 5;
      if (!Fits || Total + Least > Limit + 1e-12 * Bound)
        continue;
      // Deeper levels leave HalfBits and HalfPrice of half items as they are.
      Taken.push_back(L);
      const bool Uncounted = !List.counts(Next.Whole, Next.Part);
      TailAlone += Uncounted;
      pick(Covered | Next.Whole | Ended, NewHalf, Crossed | Ended, Total);
      TailAlone -= Uncounted;
      Taken.pop_back();
    }
  }

  /// Can the crossing items of the lines taken be cut so that all fit?
  bool fits() const {
    const uint32_t Count = static_cast<uint32_t>(Taken.size());
    ItemMask Done = 0; // lines, by position
    auto PartsOf = [&](uint32_t At) { return List.lines()[Taken[At]].Part; };
    for (uint32_t Start = 0; Start < Count; ++Start) {
      if (Done & bitOf(Start) || std::popcount(PartsOf(Start)) != 1)
        continue;
      // From one end of a chain to the other, each line as full as can be.
      uint32_t At = Start;
      ItemMask Came = 0;
      uint32_t Inside = 0;
      for (;;) {
        Done |= bitOf(At);
        ItemMask Goes = PartsOf(At) & ~Came;
        uint32_t Room = List.lines()[Taken[At]].Room;
        if (Inside > Room)
          return false;
        if (!Goes)
          break;
        uint32_t I = static_cast<uint32_t>(std::countr_zero(Goes));
        uint32_t Here = List.mostPart(I, Room - Inside);
        if (List.bits(I) % List.grain(I) == 0)
          Here = Here / List.grain(I) * List.grain(I);
        if (!Here)
          return false;
        Inside = List.bits(I) - Here;
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
      Cost += List.lines()[L].Cost;
    double Over = std::max(0.0, Cost - Bound);
    if (Over >= BestOver)
      return;
    BestOver = Over;
    BestCost = Cost;
    Best.clear();
    for (uint32_t L : Taken)
      Best.push_back(List.lines()[L]);
    Limit = std::min(Limit, BestOver);
  }

  void publish(ExactPartition &Result) const {
    for (const ListedLine &L : Best) {
      std::vector<uint32_t> Fields;
      forEachItem(L.Whole | L.Part, [&](uint32_t I) {
        const auto &More = Problem.item(I).Fields;
        Fields.insert(Fields.end(), More.begin(), More.end());
      });
      Result.Lines.push_back(std::move(Fields));
    }
  }

  const LineProblem &Problem;
  const uint32_t N;
  const double Charge, Bound;
  LineList List;
  uint32_t TailAlone = 0; ///< of the lines taken
  double Limit = 0;
  bool Overrun = false;
  std::vector<ListedLine> Best;
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
