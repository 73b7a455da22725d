// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/MeasuredCode.h"

#include "hybrid/program/CallGraph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace kst {

namespace {

/// Rounds in which the calls of counted functions correct the blocks that make
/// them.
constexpr unsigned Rounds = 4;
/// A block that runs at each call of its function, up to rounding.
constexpr double Always = 0.999;
/// Standard deviation, as the logarithm of a factor, of a rate that follows
/// from measured callers through estimated branches: a factor of 2.
const double DerivedSpread = std::log(2.0);

class Merger {
public:
  Merger(const Program &Whole, const Frequencies &Static,
         std::span<const MatchedProfile> Profiles,
         std::span<const double> Weights,
         const std::vector<std::vector<uint32_t>> &AccessBlocks,
         const MergeOptions &Options)
      : Whole(Whole), Static(Static), Profiles(Profiles),
        AccessBlocks(AccessBlocks), Options(Options),
        Made{{}, CodeFrequencies(Whole), {}, {}, {}, {}},
        Pools(Whole.Functions.size()), Fixed(Whole.Functions.size(), -1) {
    scaleProfiles(Weights);
  }

  MeasuredCode run() {
    for (size_t P = 0; P != Profiles.size(); ++P)
      for (const auto &[Id, Of] : Profiles[P].Functions)
        pool(Id, Of, P);
    for (Pool &Of : Pools)
      renormalise(Of);
    findScale();
    fixEntries();
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id))
        fixBlocks(Id);
    setEntries();
    solve();
    for (unsigned Round = 0; Round != Rounds; ++Round) {
      correctCalls();
      solve();
    }
    addUnreached();
    describe();
    return std::move(Made);
  }

private:
  /// One function over all profiles.
  struct Pool {
    bool Counts = false;  ///< instrumented in some profile
    double ShareSeen = 0; ///< of the profiles that could see it
    double Raw = 0;       ///< entries as read
    Counted Entries;
    std::map<uint32_t, double> Blocks; ///< runs, same unit as Entries.Value
  };

  bool reached(FunctionId Id) const { return Pools[Id].Entries.Value > 0; }

  const FunctionFact &fact(FunctionId Id) const {
    return *Whole.Functions[Id].Fact;
  }
  const BlockFact &block(FunctionId Id, uint32_t Block) const {
    return Whole.unitOf(Id).Blocks[fact(Id).Blocks.Begin + Block];
  }

  /// What one call of the function does, in accesses and calls: how samples,
  /// which count time, become calls.
  double work(FunctionId Id) const {
    const TuFacts &Facts = Whole.unitOf(Id);
    double Sum = 1;
    for (uint32_t I = fact(Id).Accesses.Begin; I != fact(Id).Accesses.End; ++I)
      Sum += block(Id, Facts.Accesses[I].Block).Frequency;
    for (uint32_t I = fact(Id).Calls.Begin; I != fact(Id).Calls.End; ++I)
      Sum += block(Id, Facts.Calls[I].Block).Frequency;
    return Sum;
  }

  /// Where a source has no entries: the blocks ran at least so often.
  double entriesOf(FunctionId Id, const MatchedFunction &Of) const {
    if (Of.HasEntry)
      return Of.Entries;
    if (!Of.Counted)
      return Of.Samples / work(Id);
    double Most = 0;
    for (auto [Block, Count] : Of.Blocks)
      Most = std::max(Most, Count / std::max(1.0, block(Id, Block).Frequency));
    return Most;
  }

  /// Each profile becomes as long as the average one, by accesses of the
  /// struct, or by calls where some profile has no accesses.
  void scaleProfiles(std::span<const double> Weights) {
    double Sum = 0;
    for (double W : Weights)
      Sum += W;
    bool ByAccess = true;
    for (const MatchedProfile &P : Profiles)
      ByAccess &= P.Covered.Accesses > 0;
    std::vector<double> Length;
    double Mean = 0;
    for (size_t P = 0; P != Profiles.size(); ++P) {
      double L = 0;
      if (ByAccess)
        L = double(Profiles[P].Covered.Accesses);
      else
        for (const auto &[Id, Of] : Profiles[P].Functions)
          L += entriesOf(Id, Of);
      Length.push_back(L);
      Made.Shares.push_back(Weights[P] / Sum);
      Mean += Made.Shares.back() * L;
    }
    for (size_t P = 0; P != Profiles.size(); ++P)
      Made.Factors.push_back(Options.Pool    ? Weights[P]
                             : Length[P] > 0 ? Made.Shares[P] * Mean / Length[P]
                                             : 0);
  }

  void pool(FunctionId Id, const MatchedFunction &Of, size_t P) {
    bool Counts = Of.Counted;
    if (!Counts && !(Of.Samples > 0))
      return;
    Pool &Into = Pools[Id];
    Into.Counts |= Counts;
    Into.ShareSeen += Made.Shares[P];
    double Entries = entriesOf(Id, Of), A = Made.Factors[P];
    Into.Raw += Counts ? Entries : 0;
    if (Counts) {
      Into.Entries.add(Entries, A);
    } else {
      // As many events as samples, not as calls.
      Into.Entries.Value += A * Entries;
      Into.Entries.Variance += A * A * Entries * Entries / Of.Samples;
    }
    for (auto [Block, Count] : Of.Blocks)
      Into.Blocks[Block] += A * Count;
  }

  /// Profiles that could not see the function say nothing about it: the others
  /// stand for them.
  void renormalise(Pool &Of) const {
    if (!(Of.ShareSeen > 0) || Options.Pool)
      return;
    double F = 1 / Of.ShareSeen;
    Of.Entries.Value *= F;
    Of.Entries.Variance *= F * F;
    for (auto &[Block, Count] : Of.Blocks)
      Count *= F;
  }

  void findScale() {
    std::vector<GuessAndCount> Pairs;
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id))
        Pairs.push_back({Static.Total[Id], Pools[Id].Entries.events(),
                         Pools[Id].Entries.Value});
    Made.Unit = estimateScale(Pairs);
    Sigma = Options.Prior ? Made.Unit.Sigma
                          : std::numeric_limits<double>::infinity();
    Strength = Options.Prior ? Options.BlockStrength : 0;
  }

  void fixEntries() {
    for (FunctionId Id = 0; Id != Pools.size(); ++Id)
      if (reached(Id))
        Fixed[Id] =
            rate(Pools[Id].Entries, Made.Unit.Factor * Static.Total[Id], Sigma);
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
    CallGraph Graph = callGraph(Whole, CodeFrequencies(Whole));
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
      FunctionId At = Work.back();
      Work.pop_back();
      for (const CallEdge &E : Callers[At])
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
    const Pool &Of = Pools[Id];
    if (Of.Blocks.empty())
      return;
    double U = Of.Entries.unit(), N = Of.Entries.Value / U;
    for (auto [Block, Runs] : Of.Blocks)
      Made.Code.setBlock(
          Id, Block, perCall(Runs / U, N, block(Id, Block).Frequency, Strength),
          true);
    size_t Loops = fact(Id).Loops.size();
    if (!Loops)
      return;
    std::vector<double> Before(Loops), After(Loops), Most(Loops);
    for (auto [Block, Runs] : Of.Blocks)
      if (uint32_t L = block(Id, Block).Loop; L != None) {
        double Now = Made.Code.block(Id, Block);
        Before[L] += block(Id, Block).Frequency;
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
      const LoopFact &Loop = Facts.Loops[fact(Id).Loops.Begin + L];
      double Own = RatioOf(L);
      double Around = Loop.Parent == None ? 1 : RatioOf(Loop.Parent);
      double Header = std::max(Loop.HeaderFrequency * Own, Most[L]);
      Made.Code.setLoop(Id, L, std::min(Loop.EntryFrequency * Around, Header),
                        Header);
    }
    for (uint32_t B = 0; B != fact(Id).Blocks.size(); ++B)
      if (uint32_t L = block(Id, B).Loop; L != None && !Of.Blocks.count(B))
        Made.Code.setBlock(Id, B, block(Id, B).Frequency * RatioOf(L), false);
  }

  /// Three layers: what ran, what the source says about code that was counted
  /// and did not run, and about code that no counter saw. A function is entered
  /// in one of them.
  void setEntries() {
    std::vector<bool> Leads =
        leadTo([&](FunctionId Id) { return reached(Id); });
    // Without counters of its own, but what it calls has some: it is no more
    // likely to have run than they are.
    std::vector<bool> Seen =
        leadTo([&](FunctionId Id) { return Pools[Id].Counts; });
    RanEntry.assign(Pools.size(), 0);
    IdleEntry.assign(Pools.size(), 0);
    UnseenEntry.assign(Pools.size(), 0);
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      if (reached(Id))
        continue;
      double Guess = Made.Unit.Factor * Static.Entry[Id];
      if (Leads[Id])
        RanEntry[Id] = Guess;
      else if (Options.Prior)
        (Seen[Id] || Pools[Id].Counts ? IdleEntry : UnseenEntry)[Id] =
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
          PerCall += work(Id) * Made.Shares[P] / Made.Factors[P];
    return PerCall > 0 ? rate({}, Guess, Sigma, 1 / PerCall) : Guess;
  }

  void solve() {
    Ran = propagate(callGraph(Whole, Made.Code), RanEntry, Fixed);
    Made.Code.setTargetWeights(Ran);
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
      double Guess = Made.Unit.Factor * Static.Entry[Id];
      if (Options.Prior && RanEntry[Id] > 0 && Ran[Id] < 1e-6 * Guess)
        IdleEntry[Id] = Guess;
    }
    const CallGraph Graph = callGraph(Whole, Made.Code);
    const std::vector<double> Idle = propagate(Graph, IdleEntry, {});
    const double Factor = unreachedFactor(
        accessesIn(Ran), accessesIn(Idle), double(Profiles.size()),
        Options.UnreachedStrength, Options.UnreachedAtMost);
    Made.IdleAtMost =
        unreachedPart(double(Profiles.size()), Options.UnreachedStrength,
                      Options.UnreachedAtMost);
    Made.Often.Total = propagate(Graph, UnseenEntry, {});
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

  struct Call {
    FunctionId Caller;
    uint32_t Index; ///< of the call, in the caller's unit
    FunctionId Target;
    double Times; ///< predicted
  };

  /// A counted function was called exactly, or at most, as often as it was
  /// entered: what is predicted for the calls of it in blocks without counts is
  /// brought down, or up, to what is left.
  void correctCalls() {
    std::vector<Call> Guessed;
    std::vector<double> Known(Pools.size()), Open(Pools.size());
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      const TuFacts &Facts = Whole.unitOf(Id);
      double Runs = Ran[Id];
      for (uint32_t I = fact(Id).Calls.Begin; I != fact(Id).Calls.End; ++I) {
        const CallFact &Of = Facts.Calls[I];
        double Often = Runs * Made.Code.block(Id, Of.Block);
        bool Sure = Made.Code.known(Id, Of.Block) && reached(Id) &&
                    Pools[Id].Blocks.count(Of.Block);
        for (const CallTarget &To : Made.Code.targets(Id, Of)) {
          double Times = Often * To.Share;
          if (Sure)
            Known[To.Function] += Times;
          else
            Guessed.push_back({Id, I, To.Function, Times});
          if (!Sure)
            Open[To.Function] += Times;
        }
      }
    }
    // What each function's calls from guessed blocks are worth.
    std::vector<double> Ratio(Pools.size(), -1);
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      if (!Pools[Id].Counts || !(Open[Id] > 0))
        continue;
      double Left = std::max(0.0, Ran[Id] - Known[Id]);
      bool Closed = Static.Entry[Id] <= 0;
      Ratio[Id] = (Closed ? Left : std::min(Left, Open[Id])) / Open[Id];
    }
    applyToBlocks(Guessed, Open, Ratio);
  }

  struct Implied {
    double Runs = 0;
    double Sureness = -1; ///< 0..1: how much of the callee's calls are here
    bool Exact = false;   ///< all callees are called from the program only
  };

  void applyToBlocks(const std::vector<Call> &Guessed,
                     const std::vector<double> &Open,
                     const std::vector<double> &Ratio) {
    std::map<std::pair<FunctionId, uint32_t>, Implied> Blocks;
    for (size_t I = 0; I != Guessed.size();) {
      const Call &First = Guessed[I];
      double Before = 0, After = 0, Sure = 0;
      bool Any = false, Exact = true;
      for (; I != Guessed.size() && Guessed[I].Caller == First.Caller &&
             Guessed[I].Index == First.Index;
           ++I) {
        const Call &Of = Guessed[I];
        Before += Of.Times;
        bool Corrected = Ratio[Of.Target] >= 0;
        Any |= Corrected;
        Exact &= Corrected && Static.Entry[Of.Target] <= 0;
        After += Of.Times * (Corrected ? Ratio[Of.Target] : 1);
        if (Corrected && Open[Of.Target] > 0)
          Sure += Of.Times * Of.Times / Open[Of.Target];
      }
      if (!Any || !(Before > 0))
        continue;
      Sure /= Before;
      uint32_t Block = Whole.unitOf(First.Caller).Calls[First.Index].Block;
      Implied &At = Blocks[{First.Caller, Block}];
      if (Sure > At.Sureness)
        At = {After, Sure, Exact};
    }
    std::map<FunctionId, Implied> EachTime;
    for (const auto &[Place, At] : Blocks) {
      auto [Id, B] = Place;
      double Guess = base(Id, B);
      double Runs = Ran[Id];
      if (!(Runs > 0))
        continue;
      if (Guess >= Always && block(Id, B).Loop == None) {
        // What it calls each time tells how often it ran: at most, or exactly.
        if (!Pools[Id].Counts && (At.Exact || At.Runs < Runs))
          if (Implied &Of = EachTime[Id]; At.Sureness > Of.Sureness)
            Of = At;
        continue;
      }
      double U = reached(Id) ? Pools[Id].Entries.unit() : 1;
      Made.Code.setBlock(Id, B, perCall(At.Runs / U, Runs / U, Guess, Strength),
                         true);
    }
    for (const auto &[Id, Of] : EachTime)
      Fixed[Id] = Of.Runs;
  }

  /// The frequency of a block before calls corrected it.
  double base(FunctionId Id, uint32_t B) {
    auto [It, New] = Base.try_emplace({Id, B}, 0);
    if (New)
      It->second = Made.Code.block(Id, B);
    return It->second;
  }

  void describe() {
    std::vector<bool> Called = calledFromReached();
    double Narrow = std::exp(1.96 * DerivedSpread);
    for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
      FunctionRate &Of = Made.Rates[Id];
      const Pool &From = Pools[Id];
      double Total = Made.Often.Total[Id];
      Of.Counted = From.Raw;
      Of.Static = Made.Unit.Factor * Static.Total[Id];
      if (reached(Id)) {
        double Events = From.Entries.events();
        Of.From = Origin::Measured;
        double Share = Total > 0 ? Ran[Id] / Total : 0;
        Of.MeasuredShare =
            Share * (std::isfinite(Sigma)
                         ? Events / (Events + 1 / (Sigma * Sigma))
                         : 1);
        Interval At = rateInterval(Ran[Id], From.Entries.unit(), Sigma);
        Of.Low = Share * At.Low / Ran[Id];
        Of.High = Share * At.High / Ran[Id] + (1 - Share);
        continue;
      }
      double Share = Total > 0 ? Ran[Id] / Total : 0;
      if (From.Counts)
        Of.From = Called[Id] ? Origin::NeverHit : Origin::NotReached;
      else
        Of.From = Share > 0.5 ? Origin::Derived : Origin::NotInstrumented;
      Of.MeasuredShare = Share;
      Of.Low = Share / Narrow;
      Of.High = Share * Narrow + (1 - Share);
    }
  }

  /// Functions that code which ran may call.
  std::vector<bool> calledFromReached() const {
    std::vector<bool> Called(Pools.size());
    CallGraph Graph = callGraph(Whole, CodeFrequencies(Whole));
    for (FunctionId From = 0; From != Graph.size(); ++From)
      if (Ran[From] > 0)
        for (const CallEdge &E : Graph[From])
          Called[E.Callee] = true;
    return Called;
  }

  const Program &Whole;
  const Frequencies &Static;
  std::span<const MatchedProfile> Profiles;
  const std::vector<std::vector<uint32_t>> &AccessBlocks;
  const MergeOptions &Options;
  MeasuredCode Made;
  std::vector<Pool> Pools;
  std::vector<double> Fixed; ///< calls of functions that were counted, or -1
  std::vector<double> RanEntry, IdleEntry, UnseenEntry, Ran;
  std::map<std::pair<FunctionId, uint32_t>, double> Base;
  double Sigma = 2, Strength = 2;
};

} // namespace

MeasuredCode
measuredCode(const Program &Whole, const Frequencies &Static,
             std::span<const MatchedProfile> Profiles,
             std::span<const double> Weights,
             const std::vector<std::vector<uint32_t>> &AccessBlocks,
             const MergeOptions &Options) {
  return Merger(Whole, Static, Profiles, Weights, AccessBlocks, Options).run();
}

} // namespace kst
