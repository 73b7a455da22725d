// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ImpossibleCounts.h"

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>
#include <ranges>

namespace kst {

namespace {

/// Of two blocks that one line stands for, the less frequent is taken to be as
/// wrongly counted as the other if it is estimated so many times as often.
constexpr double AlsoWrong = 0.1;

bool writes(const AccessFact &Access) {
  return Access.Kind != AccessForm::Read && Access.Kind != AccessForm::BulkRead;
}

class Mender {
public:
  Mender(const Program &Whole, std::vector<PooledFunction> &Functions)
      : Whole(Whole), Functions(Functions) {}

  void callsOfIdleCode(FunctionId Id) {
    auto &Blocks = Functions[Id].Blocks;
    for (const CallFact &Call : rowsOf(facts(Id).Calls, fact(Id).Calls))
      if (auto Counted = Blocks.find(Call.Block);
          Counted != Blocks.end() && Call.Kind == CallKind::Direct)
        for (const PossibleCallee &To : Whole.callees(Id, Call))
          if (neverRan(To.Function))
            Counted->second = 0;
  }

  void waysThrough(FunctionId Id) {
    if (fact(Id).Blocks.size() == 0 || !passes(Id, {}))
      return;
    std::vector<uint32_t> Idle;
    const std::vector<bool> Unsure = blocksWithoutOwnCode(Whole, Id);
    std::vector<bool> Closed(fact(Id).Blocks.size());
    for (const auto &[Block, Runs] : Functions[Id].Blocks)
      if (!(Runs > 0)) {
        Idle.push_back(Block);
        Closed[Block] = true;
      }
    // Those of which the zero may be another line's first.
    auto Doubt = [&](uint32_t B) {
      return std::pair(bool(Unsure[B]), guess(Id, B));
    };
    std::ranges::stable_sort(Idle, std::ranges::greater(), Doubt);
    std::pair<bool, double> Last;
    size_t Dropped = 0;
    for (; Dropped != Idle.size() && !passes(Id, Closed); ++Dropped) {
      Closed[Idle[Dropped]] = false;
      Last = Doubt(Idle[Dropped]);
    }
    if (!Dropped)
      return;
    Last.second *= AlsoWrong;
    while (Dropped != Idle.size() && Doubt(Idle[Dropped]) >= Last)
      ++Dropped;
    for (size_t I = 0; I != Dropped; ++I)
      Functions[Id].Blocks.erase(Idle[I]);
  }

private:
  const TuFacts &facts(FunctionId Id) const { return Whole.unitOf(Id); }
  const FunctionFact &fact(FunctionId Id) const {
    return *Whole.Functions[Id].Fact;
  }
  double guess(FunctionId Id, uint32_t Block) const {
    return facts(Id).Blocks[fact(Id).Blocks.Begin + Block].Frequency;
  }

  /// Whether the function's zeros are sure, inlined copies included. A weak
  /// function may have another definition. One that is inlined and only reads
  /// may have no code of its own, and what is in a header may be compiled away.
  bool neverRan(FunctionId Id) const {
    const PooledFunction &Of = Functions[Id];
    if (!Of.Counts || Of.reached() || fact(Id).Flags & FnWeak ||
        Whole.text(Whole.Functions[Id].Unit, fact(Id).File).ends_with(".h") ||
        std::ranges::any_of(Of.Blocks,
                            [](const auto &B) { return B.second > 0; }))
      return false;
    return !(fact(Id).Flags & FnStatic) || fact(Id).Calls.size() > 1 ||
           std::ranges::any_of(rowsOf(facts(Id).Accesses, fact(Id).Accesses),
                               writes);
  }

  /// Whether a way leads from the entry, the last block, to the exit, the
  /// first, around the closed ones. Empty: none is closed.
  bool passes(FunctionId Id, const std::vector<bool> &Closed) const {
    const uint32_t Count = fact(Id).Blocks.size();
    std::vector<bool> Seen(Count);
    auto See = [&](uint32_t Block) {
      if (!Closed.empty() && Closed[Block])
        return false;
      Seen[Block] = true;
      return true;
    };
    See(Count - 1);
    for (bool More = true; More && !Seen[0];) {
      More = false;
      // Blocks have numbers against the flow.
      for (const EdgeFact &Edge :
           std::views::reverse(rowsOf(facts(Id).Edges, fact(Id).Edges)))
        if (Edge.Probability > 0 && Seen[Edge.From] && !Seen[Edge.To])
          More |= See(Edge.To);
    }
    return Seen[0];
  }

  const Program &Whole;
  std::vector<PooledFunction> &Functions;
};

} // namespace

void dropImpossible(const Program &Whole,
                    std::vector<PooledFunction> &Functions) {
  Mender Of(Whole, Functions);
  for (FunctionId Id = 0; Id != Functions.size(); ++Id)
    if (Functions[Id].reached() && !Functions[Id].Blocks.empty())
      Of.callsOfIdleCode(Id);
  for (FunctionId Id = 0; Id != Functions.size(); ++Id)
    if (Functions[Id].reached() && !Functions[Id].Blocks.empty())
      Of.waysThrough(Id);
}

} // namespace kst
