// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ImpactReplay.h"

#include <algorithm>
#include <set>

namespace kst {
namespace {

/// A pair that only the trace knows has at least one of so many misses.
constexpr uint64_t OneOf = 1000;

using TwoGlobals = std::pair<uint32_t, uint32_t>; // globals

class Replayed {
public:
  explicit Replayed(const ImpactReplays &Of) : Of(Of) {
    for (uint32_t G = 0; G < Of.Globals.size(); ++G) {
      Was.emplace(address(G, false), G);
      Is.emplace(address(G, true), G);
    }
  }
  void count(GlobalPair &To) {
    const auto &At = To.Starts ? Is : Was;
    const auto W = At.find(To.Written.Address), R = At.find(To.Read.Address);
    if (W == At.end() || R == At.end())
      return;
    To.FalseBefore = between({W->second, R->second}, Of.Old);
    To.FalseAfter = between({W->second, R->second}, Of.New);
    Listed.insert(std::minmax(W->second, R->second));
  }
  /// Those with misses on one side that are not among the ones counted.
  std::vector<GlobalPair> others() const {
    std::set<TwoGlobals> All;
    for (const GlobalReplay *In : {&Of.Old, &Of.New})
      for (const auto &[Who, Count] : In->pairs())
        if (Who.first != Who.second)
          All.insert(std::minmax(Who.first, Who.second));
    std::vector<GlobalPair> Out;
    for (const TwoGlobals &Who : All) {
      const bool Before = share(Who, false), After = share(Who, true);
      const GlobalReplay &In = After ? Of.New : Of.Old;
      if (Before != After && !Listed.count(Who) &&
          between(Who, In) * OneOf >= In.falseMisses())
        Out.push_back(described(Who, After));
    }
    return Out;
  }

private:
  uint64_t address(uint32_t G, bool After) const {
    return After ? Of.Places[G].Address : Of.Globals[G].Is.Address;
  }
  static uint64_t taken(TwoGlobals Who, const GlobalReplay &In) {
    const auto At = In.pairs().find(Who);
    return At == In.pairs().end() ? 0 : At->second;
  }
  static uint64_t between(TwoGlobals Who, const GlobalReplay &In) {
    return taken(Who, In) + taken({Who.second, Who.first}, In);
  }
  uint64_t line(uint64_t Address) const { return Address / Of.LineBytes; }
  bool share(TwoGlobals Who, bool After) const {
    const auto [First, Last] =
        std::minmax(Who.first, Who.second, [&](uint32_t A, uint32_t B) {
          return address(A, After) < address(B, After);
        });
    return line(address(First, After) + Of.Globals[First].Is.SizeBytes - 1) >=
           line(address(Last, After));
  }
  GlobalPair described(TwoGlobals Who, bool Starts) const {
    const GlobalReplay &In = Starts ? Of.New : Of.Old;
    // The writer is the one that takes lines from the other.
    if (taken(Who, In) < taken({Who.second, Who.first}, In))
      std::swap(Who.first, Who.second);
    GlobalPair Out;
    Out.Starts = Starts;
    Out.Written = side(Who.first, Starts);
    Out.Read = side(Who.second, Starts);
    Out.Line =
        line(std::max(Out.Written.Address, Out.Read.Address)) * Of.LineBytes;
    Out.FalseBefore = between(Who, Of.Old);
    Out.FalseAfter = between(Who, Of.New);
    return Out;
  }
  PairSide side(uint32_t G, bool After) const {
    const Global &Is = Of.Globals[G];
    PairSide Out = pairSide(
        Of.Before, Is.Symbol,
        Of.Before.Uses.on(Is.Symbol, 0, Is.Is.SizeBytes, Of.Before.Heat));
    Out.Address = address(G, After);
    return Out;
  }

  const ImpactReplays &Of;
  std::map<uint64_t, uint32_t> Was, Is; ///< globals by address
  std::set<TwoGlobals> Listed;
};

} // namespace

void addReplays(Impact &To, const ImpactReplays &Of) {
  To.FalseBefore = Of.Old.falseMisses();
  To.FalseAfter = Of.New.falseMisses();
  Replayed Known(Of);
  for (GlobalPair &Pair : To.Pairs)
    Known.count(Pair);
  std::vector<GlobalPair> Others = Known.others();
  To.PairsOfTrace = Others.size();
  std::move(Others.begin(), Others.end(), std::back_inserter(To.Pairs));
  // What the trace touches before what it does not.
  std::stable_sort(To.Pairs.begin(), To.Pairs.end(),
                   [](const GlobalPair &A, const GlobalPair &B) {
                     return std::max(A.FalseBefore, A.FalseAfter) >
                            std::max(B.FalseBefore, B.FalseAfter);
                   });
}

} // namespace kst
