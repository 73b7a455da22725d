// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/MeasuredCode.h"

#include "hybrid/evidence/CallCorrection.h"
#include "hybrid/evidence/ImpossibleCounts.h"
#include "hybrid/program/CallGraph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kst {

namespace {

/// Rounds in which the calls of counted functions correct the blocks that make
/// them.
constexpr unsigned Rounds = 4;
/// Rounds in which belief in calls follows what callers are believed.
constexpr unsigned BeliefRounds = 8;
/// Standard deviation, as the logarithm of a factor, of a rate that follows
/// from measured callers through estimated branches: a factor of 2.
const double DerivedSpread = std::log(2.0);

class Merger {
public:
  Merger(const Program &Whole, const Estimate &Static,
         std::span<const MatchedProfile> Profiles,
         std::span<const double> Weights,
         const std::vector<std::vector<uint32_t>> &AccessBlocks,
         const MergeOptions &Options)
      : Whole(Whole), Static(Static), Profiles(Profiles),
        AccessBlocks(AccessBlocks), Options(Options),
        Made{{}, Static.Code, {}, {}, {}, {}},
        Fixed(Whole.Functions.size(), -1) {
    PooledCounts Pooled = pooledCounts(Whole, Profiles, Weights, Options.Pool);
    Pools = std::move(Pooled.Functions);
    dropImpossible(Whole, Pools);
    Made.Factors = std::move(Pooled.Factors);
    Made.Shares = std::move(Pooled.Shares);
  }

  MeasuredCode run() {
    findScale();
    findUnseen();
    fixEntries();
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id))
        fixBlocks(Id);
    setEntries();
    solve();
    CallCorrection Calls(Whole, Static.Often, Pools, Strength);
    for (unsigned Round = 0; Round != Rounds; ++Round) {
      Calls.apply(Ran, Made.Code, Fixed);
      solve();
    }
    addUnreached();
    describe();
    return std::move(Made);
  }

private:
  bool reached(FunctionId Id) const { return Pools[Id].reached(); }

  const FunctionFact &fact(FunctionId Id) const {
    return *Whole.Functions[Id].Fact;
  }
  const BlockFact &block(FunctionId Id, uint32_t Block) const {
    return Whole.unitOf(Id).Blocks[fact(Id).Blocks.Begin + Block];
  }
  double guess(FunctionId Id, uint32_t Block) const {
    return Static.Code.block(Id, Block);
  }

  /// Calls of functions that were counted, by the guesses and by the counters.
  std::vector<GuessAndCount>
  countedCalls(const std::vector<double> &Guesses) const {
    std::vector<GuessAndCount> Pairs;
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id) && Pools[Id].tellsCalls())
        Pairs.push_back(
            {Guesses[Id], Pools[Id].Entries.events(), Pools[Id].Entries.Value});
    return Pairs;
  }

  void findScale() {
    Made.Unit = estimateScale(countedCalls(Static.Often.Total));
    Sigma = Options.Prior ? Made.Unit.Sigma
                          : std::numeric_limits<double>::infinity();
    Strength = Options.Prior ? Options.BlockStrength : 0;
  }

  /// No counter, here or of the reference, could tell of it or of what it
  /// calls.
  void findUnseen() {
    // Without counters of its own, but what it calls has some: it is no more
    // likely to have run than they are.
    LeadsToCounted = leadTo([&](FunctionId Id) { return Pools[Id].Counts; });
    const std::vector<bool> &Before = Static.Code.unseen();
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      Unseen.push_back(!Pools[Id].Counts && !reached(Id) &&
                       !LeadsToCounted[Id] && (Before.empty() || Before[Id]));
  }

  void fixEntries() {
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id) && !Pools[Id].tellsCalls())
        continue; // as often as its callers here
      else if (reached(Id))
        Fixed[Id] = rate(Pools[Id].Entries,
                         Made.Unit.Factor * Static.Often.Total[Id], Sigma);
      else if (Pools[Id].Counts)
        Fixed[Id] = 0;
  }

  /// No counter can tell of it, since it has no access; but the counters of
  /// what it calls do.
  bool transparent(FunctionId Id) const {
    return !Pools[Id].Counts && AccessBlocks[Id].empty() && !reached(Id);
  }

  /// Functions without accesses that lead to some of Which.
  template <typename Predicate>
  std::vector<bool> leadTo(Predicate Which) const {
    CallGraph Graph = callGraph(Whole, Static.Code);
    CallGraph Callers(Graph.size());
    for (FunctionId Id = 0; Id != Graph.size(); ++Id)
      for (const CallEdge &E : Graph[Id])
        if (E.Times > 0)
          Callers[E.Callee].push_back({Id, E.Times});
    std::vector<bool> Found(Graph.size());
    std::vector<FunctionId> Work;
    for (FunctionId Id = 0; Id != Graph.size(); ++Id)
      if (Which(Id))
        Work.push_back(Id);
    while (!Work.empty()) {
      FunctionId Callee = Work.back();
      Work.pop_back();
      for (const CallEdge &E : Callers[Callee])
        if (!Found[E.Callee] && transparent(E.Callee)) {
          Found[E.Callee] = true;
          Work.push_back(E.Callee);
        }
    }
    return Found;
  }

  /// Blocks with counts, then those that share a loop with some: the loop goes
  /// round more or less often than estimated for all of them.
  void fixBlocks(FunctionId Id) {
    const PooledFunction &Counts = Pools[Id];
    if (Counts.Blocks.empty())
      return;
    double U = Counts.Entries.unit(), N = Counts.Entries.Value / U;
    for (auto [Block, Runs] : Counts.Blocks) {
      // A line may be entered several times on one way through it.
      double Hits = Runs / U;
      if (Hits > N && block(Id, Block).Loop == None && !inCycle(Id, Block))
        Hits = N;
      Made.Code.setBlock(Id, Block,
                         perCall(Hits, N, guess(Id, Block), Strength), true);
    }
    size_t Loops = fact(Id).Loops.size();
    if (!Loops)
      return;
    std::vector<double> Before(Loops), After(Loops), Most(Loops);
    for (auto [Block, Runs] : Counts.Blocks)
      if (uint32_t L = block(Id, Block).Loop; L != None) {
        double Now = Made.Code.block(Id, Block);
        Before[L] += guess(Id, Block);
        After[L] += Now;
        Most[L] = std::max(Most[L], Now);
      }
    const TuFacts &Facts = Whole.unitOf(Id);
    std::vector<double> Ratio(Loops, -1);
    auto RatioOf = [&](uint32_t L) {
      std::vector<uint32_t> Way;
      for (; L != None && Ratio[L] < 0;
           L = Facts.Loops[fact(Id).Loops.Begin + L].Parent) {
        if (Way.size() > Loops)
          break;
        Way.push_back(L);
      }
      double Around = L == None ? 1 : Ratio[L];
      for (; !Way.empty(); Way.pop_back()) {
        uint32_t At = Way.back();
        Ratio[At] = Around = Before[At] > 0 ? After[At] / Before[At] : Around;
      }
      return Around;
    };
    for (uint32_t L = 0; L != Loops; ++L) {
      const uint32_t Parent = Facts.Loops[fact(Id).Loops.Begin + L].Parent;
      double Own = RatioOf(L);
      double Around = Parent == None ? 1 : RatioOf(Parent);
      double Header = std::max(Static.Code.loopHeader(Id, L) * Own, Most[L]);
      Made.Code.setLoop(Id, L,
                        std::min(Static.Code.loopEntry(Id, L) * Around, Header),
                        Header);
    }
    for (uint32_t B = 0; B != fact(Id).Blocks.size(); ++B)
      if (uint32_t L = block(Id, B).Loop; L != None && !Counts.Blocks.count(B))
        Made.Code.setBlock(Id, B, guess(Id, B) * RatioOf(L), false);
  }

  /// Whether the block can be reached from itself: cycles with several entries
  /// are no loops.
  bool inCycle(FunctionId Id, uint32_t Block) const {
    std::vector<bool> Seen(fact(Id).Blocks.size());
    for (bool More = true; More && !Seen[Block];) {
      More = false;
      for (const EdgeFact &Edge :
           rowsOf(Whole.unitOf(Id).Edges, fact(Id).Edges))
        if ((Edge.From == Block || Seen[Edge.From]) && !Seen[Edge.To])
          Seen[Edge.To] = More = true;
    }
    return Seen[Block];
  }

  /// Three layers: what ran, what the source says about code that was counted
  /// and did not run, and about code that no counter saw. A function is entered
  /// in one of them.
  void setEntries() {
    std::vector<bool> Leads =
        leadTo([&](FunctionId Id) { return reached(Id); });
    RanEntry.assign(Pools.size(), 0);
    IdleEntry.assign(Pools.size(), 0);
    UnseenEntry.assign(Pools.size(), 0);
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      if (reached(Id))
        continue;
      double Guess = Made.Unit.Factor * Static.Often.Entry[Id];
      if (Leads[Id])
        RanEntry[Id] = Guess;
      else if (Options.Prior)
        (LeadsToCounted[Id] || Pools[Id].Counts ? IdleEntry : UnseenEntry)[Id] =
            unsampled(Id, Guess);
    }
  }

  /// What is left of a guess about entries when samples could have seen the
  /// function and none did. Calls from outside of the program are not inlined:
  /// they would have shown under its name.
  double unsampled(FunctionId Id, double Guess) const {
    double PerCall = 0; // samples to expect of one call, over all profiles
    if (!Pools[Id].Counts)
      for (size_t P = 0; P != Profiles.size(); ++P)
        if (Profiles[P].Covered.SamplesUsed && Made.Factors[P] > 0)
          PerCall += workOfCall(Whole, Id) * Made.Shares[P] / Made.Factors[P];
    return PerCall > 0 ? rate({}, Guess, Sigma, 1 / PerCall) : Guess;
  }

  void solve() {
    Ran = propagate(callGraph(Whole, Made.Code), RanEntry, Fixed);
    Made.Code.setCalleeWeights(Ran, Unseen);
  }

  /// Accesses of the struct in so many calls of each function.
  double accessesIn(const std::vector<double> &Calls) const {
    double Sum = 0;
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      for (uint32_t Block : AccessBlocks[Id])
        Sum += Calls[Id] * Made.Code.block(Id, Block);
    return Sum;
  }

  /// Unseen code may call code that ran: that is on top of what was counted.
  void addUnreached() {
    // What might have led to code that ran, but did not, was not reached.
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      double Guess = Made.Unit.Factor * Static.Often.Entry[Id];
      if (Options.Prior && RanEntry[Id] > 0 && Ran[Id] < 1e-6 * Guess)
        IdleEntry[Id] = Guess;
    }
    passOnUnseen();
    if (Options.Prior)
      boundUnseen();
    const std::vector<double> Idle =
        propagate(callGraph(Whole, Made.Code), IdleEntry, {});
    const double Factor = unreachedFactor(
        accessesIn(Ran), accessesIn(Idle), double(Profiles.size()),
        Options.UnreachedStrength, Options.UnreachedAtMost);
    Made.IdleAtMost =
        unreachedPart(double(Profiles.size()), Options.UnreachedStrength,
                      Options.UnreachedAtMost);
    Made.Rates.resize(Pools.size());
    Made.Often.Entry.resize(Pools.size());
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      Made.Often.Entry[Id] =
          UnseenEntry[Id] + Factor * IdleEntry[Id] + RanEntry[Id];
      Made.Often.Total[Id] += Factor * Idle[Id] + Ran[Id];
      if (Idle[Id] > 0)
        Made.Rates[Id].IdleShare = Factor * Idle[Id] / Made.Often.Total[Id];
    }
  }

  /// Made.Often.Total: calls by code that no counter could see; Ran: by what
  /// ran, unseen functions among them.
  void passOnUnseen() {
    const CallGraph Graph = callGraph(Whole, Made.Code);
    Made.Often.Total = propagate(Graph, UnseenEntry, {});
    Ran = propagate(Graph, RanEntry, Fixed);
  }

  /// UnseenAtMost and, if there is no reference that did, what is expected of
  /// each function bound the calls of unseen code.
  void boundUnseen() {
    if (Static.Referenced.empty())
      believe(expectedOfUnseen());
    // The accesses of other code are on its account as far as it calls it.
    double Rest = 0, Part = accessesIn(Made.Often.Total);
    std::vector<double> Most(Pools.size());
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      Most[Id] = Ran[Id] + Made.Often.Total[Id];
      for (uint32_t Block : AccessBlocks[Id])
        (Unseen[Id] ? Part : Rest) += Ran[Id] * Made.Code.block(Id, Block);
    }
    const double Factor = factorToPart(
        Rest, Part, std::min(Options.UnseenAtMost, Static.UnseenAtMost));
    if (Factor == 1)
      return;
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      Most[Id] *= Factor;
      if (!Unseen[Id])
        UnseenEntry[Id] *= Factor;
    }
    believe(Most);
  }

  /// Believes so much of the calls and entries of each unseen function that it
  /// is called so often at most, whoever calls it.
  void believe(const std::vector<double> &Most) {
    std::vector<double> Belief = Made.Code.belief();
    if (Belief.empty())
      Belief.assign(Pools.size(), 1);
    const std::vector<double> Before = Belief, Entry = UnseenEntry;
    // What callers are believed less, callees need not be.
    for (unsigned Round = 0; Round != BeliefRounds; ++Round) {
      bool Changed = false;
      for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
        const double Calls = Ran[Id] + Made.Often.Total[Id];
        if (!Unseen[Id] || !(Calls > 0) || !(Before[Id] > 0))
          continue;
        const double Now = std::min(Before[Id], Belief[Id] * Most[Id] / Calls);
        Changed |= std::abs(Now - Belief[Id]) > 0.01 * Belief[Id];
        Belief[Id] = Now;
        UnseenEntry[Id] = Entry[Id] * Now / Before[Id];
      }
      if (!Changed)
        return;
      Made.Code.setBelief(Belief);
      passOnUnseen();
    }
  }

  /// As many calls of unseen functions as counters saw of others with the same
  /// estimates: of what is mostly called by code that was counted, by the
  /// source's blocks as calls of code without counters are; of the rest, by the
  /// source's guess.
  std::vector<double> expectedOfUnseen() const {
    std::vector<double> Called(Pools.size()), ByCounted = Called;
    const CallGraph Graph = callGraph(Whole, Static.Code);
    for (FunctionId From = 0; From != Graph.size(); ++From)
      for (const CallEdge &E : Graph[From]) {
        Called[E.Callee] += Ran[From] * E.Times;
        ByCounted[E.Callee] += reached(From) ? Ran[From] * E.Times : 0;
      }
    std::vector<double> Guessed = Static.Often.Total;
    for (double &Guess : Guessed)
      Guess *= Made.Unit.Factor;
    const RateRegression OfCalled = regression(countedCalls(Called)),
                         OfGuessed = regression(countedCalls(Guessed));
    std::vector<double> Expected(Pools.size());
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      Expected[Id] = (ByCounted[Id] > 0.5 * Called[Id] ? OfCalled : OfGuessed)
                         .expected(Ran[Id] + Made.Often.Total[Id]);
    return Expected;
  }

  void describe() {
    describeRates();
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      Made.Rates[Id].Referenced =
          (1 - Made.Rates[Id].MeasuredShare) * Static.referenced(Id);
  }

  void describeRates() {
    std::vector<bool> Called = calledFromReached();
    double Narrow = std::exp(1.96 * DerivedSpread);
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      FunctionRate &Rate = Made.Rates[Id];
      const PooledFunction &Pool = Pools[Id];
      double Total = Made.Often.Total[Id];
      Rate.Counted = Pool.Raw;
      Rate.Static = Made.Unit.Factor * Static.Often.Total[Id];
      if (reached(Id) && Ran[Id] > 0) {
        double Events = Pool.Entries.events();
        Rate.From = Origin::Measured;
        double Share = Total > 0 ? Ran[Id] / Total : 0;
        Rate.MeasuredShare =
            Share * (std::isfinite(Sigma)
                         ? Events / (Events + 1 / (Sigma * Sigma))
                         : 1);
        Interval Likely = rateInterval(Ran[Id], Pool.Entries.unit(), Sigma);
        Rate.Low = Share * Likely.Low / Ran[Id];
        Rate.High = Share * Likely.High / Ran[Id] + (1 - Share);
        continue;
      }
      double Share = Total > 0 ? Ran[Id] / Total : 0;
      if (Pool.Counts && Pool.tellsCalls())
        Rate.From = Called[Id] ? Origin::NeverHit : Origin::NotReached;
      else
        Rate.From = Share > 0.5 ? Origin::Derived : Origin::NotInstrumented;
      Rate.MeasuredShare = Share;
      Rate.Low = Share / Narrow;
      Rate.High = Share * Narrow + (1 - Share);
    }
  }

  /// Functions that code which ran may call.
  std::vector<bool> calledFromReached() const {
    std::vector<bool> Called(Pools.size());
    CallGraph Graph = callGraph(Whole, Static.Code);
    for (FunctionId From = 0; From != Graph.size(); ++From)
      if (Ran[From] > 0)
        for (const CallEdge &E : Graph[From])
          Called[E.Callee] = true;
    return Called;
  }

  const Program &Whole;
  const Estimate &Static;
  std::span<const MatchedProfile> Profiles;
  const std::vector<std::vector<uint32_t>> &AccessBlocks;
  const MergeOptions &Options;
  MeasuredCode Made;
  std::vector<PooledFunction> Pools; ///< by FunctionId
  std::vector<bool> LeadsToCounted, Unseen;
  std::vector<double> Fixed; ///< calls of functions that were counted, or -1
  std::vector<double> RanEntry, IdleEntry, UnseenEntry, Ran;
  double Sigma = 2, Strength = 2;
};

} // namespace

MeasuredCode
measuredCode(const Program &Whole, const Estimate &Static,
             std::span<const MatchedProfile> Profiles,
             std::span<const double> Weights,
             const std::vector<std::vector<uint32_t>> &AccessBlocks,
             const MergeOptions &Options) {
  return Merger(Whole, Static, Profiles, Weights, AccessBlocks, Options).run();
}

} // namespace kst
