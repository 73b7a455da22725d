// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Stability.h"

#include "hybrid/layout/Moves.h"
#include "hybrid/layout/OrderPrice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace kst {

namespace {

/// Independent factors, the same on every machine: the standard fixes the
/// output of the engine, not that of the distributions.
class Factors {
public:
  Factors(uint64_t Seed, double Factor)
      : Engine(Seed), Spread(std::log(std::max(1.0, Factor))) {}

  double next() {
    double MoveUnit =
        static_cast<double>(Engine() >> 11) * 0x1p-53; // 0 <= MoveUnit < 1
    return std::exp((2 * MoveUnit - 1) * Spread);
  }

private:
  std::mt19937_64 Engine;
  double Spread;
};

/// One configuration with sets that look alike joined: in every draw the
/// weight of the joined set is the sum of the weights drawn for its parts.
struct DrawnConfig {
  struct Part {
    uint32_t Set;    ///< index into Sets
    uint32_t Factor; ///< index of the place it was seen at
    double Weight;
  };
  const RecordInfo *Record = nullptr;
  std::vector<CoAccessSet> Sets;
  std::vector<Part> Parts;
};

/// What one visit can be seen by.
using Place =
    std::tuple<SetKind, CpuRelation, std::string, std::string, uint32_t>;

std::vector<double> pricesOf(const SearchSpace &Space,
                             const std::vector<MoveUnitOrder> &Orders,
                             uint64_t &Work) {
  OrderPrice Price(Space, Orders.front());
  std::vector<double> Result = {Price.total()};
  for (size_t I = 1; I < Orders.size(); ++I)
    Result.push_back(Price.trial(Orders[I]));
  Work += Price.work();
  return Result;
}

/// In how many cases an order costs less than each other, and what it gains.
class Tally {
public:
  /// Needed: orders than which the first counts as better in any case.
  explicit Tally(const std::vector<bool> &Needed)
      : Needed(Needed), Survived(Needed.size()) {}

  /// Prices: of the order, of the declared one, of others.
  void add(const std::vector<double> &Prices) {
    for (size_t I = 1; I < Prices.size(); ++I)
      Survived[I] += Needed[I] || Prices[I] - Prices[0] > 1e-9 * Prices[1];
    Gains.push_back(Prices[1] > 0 ? 1 - Prices[0] / Prices[1] : 0);
  }

  const std::vector<double> &gains() const { return Gains; }
  double share(size_t I) const {
    return double(Survived[I]) / double(Gains.size());
  }

private:
  const std::vector<bool> &Needed;
  std::vector<uint32_t> Survived; // [0] is not used
  std::vector<double> Gains;
};

class Resampler {
public:
  Resampler(const LayoutProblem &Problem) : Problem(Problem) {
    for (const AffinityEvidence &E : Problem.evidence().Configs)
      Configs.push_back(joined(E));
  }

  size_t placeCount() const { return Places.size(); }
  uint64_t work() const { return Work; }

  /// Prices of the orders when the weights are multiplied by the factors.
  std::vector<double> prices(const std::vector<double> &Drawn,
                             const std::vector<MoveUnitOrder> &Orders) {
    std::vector<LayoutCost> Models;
    Models.reserve(Problem.modelCount());
    for (DrawnConfig &C : Configs)
      draw(C, Drawn);
    std::vector<SearchConfig> Redrawn;
    for (size_t M = 0; M < Problem.modelCount(); ++M) {
      const DrawnConfig &C = Configs[Problem.configOf(M)];
      Models.push_back(Problem.priced(M, C.Sets, Problem.options()));
      Redrawn.push_back(
          {FieldOffsets(*C.Record), &Models.back(), Problem.share(M)});
    }
    return pricesOf(
        SearchSpace(Problem.record(), Problem.rules(), std::move(Redrawn), {}),
        Orders, Work);
  }

private:
  DrawnConfig joined(const AffinityEvidence &Evidence) {
    using Touched = std::tuple<uint32_t, double, double, std::vector<Spot>>;
    using Look = std::tuple<CpuRelation, std::optional<double>, Phase, double,
                            std::vector<Touched>>;
    std::map<Look, uint32_t> Alike;
    std::map<Place, uint32_t> Seen; // in this configuration
    DrawnConfig Result;
    Result.Record = &Evidence.Record;
    for (const CoAccessSet &Set : Evidence.Sets) {
      if (!(Set.Weight > 0))
        continue;
      Look L{Set.Cpu, Set.Others, Set.When, Set.Shared, {}};
      for (const FieldTouch &T : Set.Touches)
        std::get<4>(L).emplace_back(T.Field, T.Probability, T.Writes, T.Spots);
      auto [At, New] = Alike.try_emplace(
          std::move(L), static_cast<uint32_t>(Result.Sets.size()));
      if (New)
        Result.Sets.push_back(Set);
      Place Where{Set.Kind, Set.Cpu, Set.Where.Function, Set.Where.File,
                  Set.Where.Line};
      uint32_t Rank = Seen[Where]++;
      uint32_t Factor = Places
                            .try_emplace({std::move(Where), Rank},
                                         static_cast<uint32_t>(Places.size()))
                            .first->second;
      Result.Parts.push_back({At->second, Factor, Set.Weight});
    }
    return Result;
  }

  void draw(DrawnConfig &C, const std::vector<double> &Drawn) {
    for (CoAccessSet &Set : C.Sets)
      Set.Weight = 0;
    for (const DrawnConfig::Part &P : C.Parts)
      C.Sets[P.Set].Weight += P.Weight * Drawn[P.Factor];
    for (const CoAccessSet &Set : C.Sets)
      Work += 8 * Set.Touches.size();
  }

  const LayoutProblem &Problem;
  std::vector<DrawnConfig> Configs;
  std::map<std::pair<Place, uint32_t>, uint32_t> Places;
  uint64_t Work = 0;
};

/// The smallest value that at least `Share` of them do not exceed.
double nearestRank(std::vector<double> Values, double Share) {
  std::ranges::sort(Values);
  double Rank = std::ceil(Share * static_cast<double>(Values.size()) - 1e-9);
  return Values[static_cast<size_t>(std::max(1.0, Rank)) - 1];
}

} // namespace

Stability stability(const LayoutProblem &Problem, const MoveUnitOrder &Proposed,
                    const StabilityOptions &Options) {
  const Constraints &Rules = Problem.rules();
  const std::vector<bool> Moved = movedUnits(Problem.space(), Proposed);
  // Proposed, declared, then Proposed without one of its moves.
  std::vector<MoveUnitOrder> Orders = {Proposed, Problem.space().declared()};
  std::vector<uint32_t> Taken;
  std::vector<bool> Needed = {false, false};
  const size_t Broken = Problem.space().broken(Proposed);
  for (uint32_t U = 0; U < Moved.size(); ++U) {
    if (!Moved[U])
      continue;
    std::vector<bool> Rest = Moved;
    Rest[U] = false;
    Orders.push_back(partOf(Rules, Proposed, Moved, Rest));
    Needed.push_back(Problem.space().broken(Orders.back()) > Broken);
    Taken.push_back(U);
  }

  Resampler Again(Problem);
  Factors Random(Options.Seed, Options.Factor);
  Tally Draws(Needed), Assumed(Needed);
  std::vector<double> Drawn(Again.placeCount());
  while (Draws.gains().size() < Options.Draws &&
         (Draws.gains().size() < Options.MinDraws ||
          Again.work() < Options.Budget)) {
    for (double &F : Drawn)
      F = Random.next();
    Draws.add(Again.prices(Drawn, Orders));
  }
  uint64_t Work = 0;
  for (const Assumption &Of : Options.Assumed)
    Assumed.add(pricesOf(Of.space(), Orders, Work));

  Stability Result;
  Result.Draws = static_cast<uint32_t>(Draws.gains().size());
  Result.Factor = std::max(1.0, Options.Factor);
  for (size_t I = 0; I < Options.Assumed.size(); ++I)
    Result.Assumed.push_back({Options.Assumed[I].name(), Assumed.gains()[I]});
  if (!Result.Draws)
    return Result;
  Result.Survives = Draws.share(1);
  Result.GainLow = nearestRank(Draws.gains(), 0.05);
  Result.GainHigh = nearestRank(Draws.gains(), 0.95);
  for (size_t I = 0; I < Taken.size(); ++I)
    for (uint32_t F : Rules.bricks()[Taken[I]].Fields)
      Result.Moves.push_back(
          {Problem.record().Fields[F].Name, Draws.share(I + 2),
           Options.Assumed.empty() ? 1 : Assumed.share(I + 2)});
  return Result;
}

} // namespace kst
