// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/PartitionBound.h"

#include "hybrid/layout/bound/LinePricing.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace kst {

namespace {

class Generation {
public:
  Generation(const LineProblem &Problem, uint64_t Budget)
      : Problem(Problem), Budget(Budget),
        Master(aloneOf(Problem), Problem.freeLines(), Problem.extraLines(),
               Problem.linePrice()),
        Pricing(Problem) {}

  PartitionBound run() {
    for (int Pass = 0; Pass < 40; ++Pass) {
      int Rounds = 0;
      for (; Rounds < 200 && work() < Budget / 2; ++Rounds) {
        Master.solve(Budget);
        if (!generate())
          break;
      }
      Master.solve(Budget);
      uint64_t Before = work();
      uint64_t Left = Budget > Before ? Budget - Before : Budget / 20;
      uint32_t Added = certify(Left / 2);
      if (!Added || work() >= Budget ||
          Result.Value > (1 - 1e-6) * Master.objective())
        break;
    }
    for (auto [Column, Share] : Master.solution()) {
      std::vector<uint32_t> Fields;
      for (uint32_t I : Master.columns()[Column].Items)
        Fields.insert(Fields.end(), Problem.item(I).Fields.begin(),
                      Problem.item(I).Fields.end());
      Result.Lines.push_back({std::move(Fields), Share});
    }
    Result.Work = work();
    return Result;
  }

private:
  static std::vector<double> aloneOf(const LineProblem &Problem) {
    std::vector<double> Alone;
    for (uint32_t I = 0; I < Problem.itemCount(); ++I)
      Alone.push_back(Problem.alone(I));
    return Alone;
  }
  uint64_t work() const { return Master.work() + Pricing.work(); }

  bool keep(LineColumn Column) {
    std::vector<uint32_t> Key = Column.Items;
    if (Column.LastShare < 1) {
      std::sort(Key.begin(), Key.end() - 1);
      Key.push_back(~0u);
    } else {
      std::ranges::sort(Key);
    }
    if (!Known.insert(std::move(Key)).second)
      return false;
    Master.add(std::move(Column));
    return true;
  }

  /// Adds lines found by greedy choice; false if none is new.
  bool generate() {
    Pricing.setPrices(Master.prices(), Master.lineCharge());
    bool Any = false;
    for (uint32_t I = 0; I < Problem.itemCount(); ++I) {
      LineColumn Column;
      if (Pricing.greedy(I, 1e-6 * Problem.alone(I), Column))
        Any |= keep(std::move(Column));
    }
    return Any;
  }

  /// Turns the present prices into a bound; returns how many lines it found
  /// that the program should have.
  uint32_t certify(uint64_t Effort) {
    const uint32_t N = Problem.itemCount();
    const std::vector<double> &Prices = Master.prices();
    Pricing.setPrices(Prices, Master.lineCharge());
    std::vector<uint32_t> Order(N);
    std::iota(Order.begin(), Order.end(), 0u);
    std::ranges::stable_sort(
        Order, [&](uint32_t A, uint32_t B) { return Prices[A] > Prices[B]; });
    std::vector<char> Allowed(N, true);
    std::vector<double> Lowered = Prices;
    double Charge = Master.lineCharge();
    double Bound =
        -Charge * Problem.freeLines() -
        std::max(0.0, Charge - Problem.linePrice()) * Problem.extraLines();
    for (double P : Prices)
      Bound += P;
    const double Finest = N <= 40 ? 1e-6 : 1e-3;
    uint32_t Added = 0;
    uint64_t End = Pricing.work() + Effort;
    for (uint32_t At = 0; At < N; ++At) {
      uint32_t I = Order[At];
      uint64_t Now = Pricing.work();
      uint64_t Share = End > Now ? (End - Now) / (N - At) * 4 : 0;
      // Coarse thresholds first: where the effort does not suffice for a fine
      // one, something is known all the same.
      LinePricing::Answer Answer;
      double Most = Prices[I];
      for (double Fraction : {0.1, 0.01, Finest}) {
        uint64_t Spent = Pricing.work() - Now;
        if (Fraction < 0.1 && Spent > Share)
          break;
        Answer = Pricing.search(I, Allowed, Fraction * Prices[I],
                                Share > Spent ? Share - Spent : 0);
        Most = std::min(Most, Answer.Most);
        if (!Answer.Complete || Answer.BestValue > Fraction * Prices[I] ||
            Most <= Finest * Prices[I])
          break;
      }
      Allowed[I] = false;
      double Less = std::min(Prices[I], std::max(0.0, Most));
      Bound -= Less;
      Lowered[I] -= Less;
      if (Answer.BestValue > 1e-6 * Prices[I] && !Answer.Best.Items.empty())
        Added += keep(std::move(Answer.Best));
    }
    for (uint32_t I = 0; I < N; ++I) // alone it does not pay the charge
      if (double Over = Lowered[I] - Problem.alone(I);
          Problem.item(I).Flexible && Over > 0) {
        Bound -= Over;
        Lowered[I] -= Over;
      }
    if (Bound > Result.Bound || Result.Prices.empty()) {
      Result.Bound = Bound;
      Result.Prices = std::move(Lowered);
      Result.Charge = Charge;
    }
    Result.Value = std::max(Result.Value, Bound * (1 - 1e-9));
    return Added;
  }

  const LineProblem &Problem;
  uint64_t Budget;
  LineMaster Master;
  LinePricing Pricing;
  PartitionBound Result;
  std::set<std::vector<uint32_t>> Known;
};

} // namespace

PartitionBound partitionBound(const LineProblem &Problem, uint64_t Budget) {
  if (!Problem.itemCount())
    return {};
  return Generation(Problem, Budget).run();
}

} // namespace kst
