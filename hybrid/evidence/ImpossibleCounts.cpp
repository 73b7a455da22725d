// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ImpossibleCounts.h"

#include "hybrid/evidence/LinePlaces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>

namespace kst {

namespace {

/// A zero beside the likeliest way is taken to be as wrong as those that it
/// would go around if these cost so many times as much.
constexpr double AlsoWrong = 0.1;
/// The price of a zero that may be another line's, against one that is not.
constexpr double UnsureZero = 0.01;

bool writes(const AccessFact &Access) {
  return Access.Kind != AccessForm::Read && Access.Kind != AccessForm::BulkRead;
}

/// The cheapest ways through a function, from the entry, its last block, to the
/// exit, its first.
class Ways {
public:
  Ways(const TuFacts &Facts, const FunctionFact &Function,
       std::vector<double> PriceOfBlocks)
      : Prices(std::move(PriceOfBlocks)) {
    const uint32_t Count = Prices.size();
    if (!Count)
      return;
    std::vector<std::pair<uint32_t, uint32_t>> Edges;
    for (const EdgeFact &Edge : rowsOf(Facts.Edges, Function.Edges))
      if (Edge.Probability > 0)
        Edges.push_back({Edge.To, Edge.From});
    ToExit = nextBlocks(0, Edges);
    // Blocks have numbers against the flow.
    std::ranges::reverse(Edges);
    for (auto &[From, To] : Edges)
      std::swap(From, To);
    ToEntry = nextBlocks(Count - 1, Edges);
  }

  /// Its blocks; empty: none.
  std::vector<uint32_t> through(uint32_t Block) const {
    if (Prices.empty() || ToExit[Block] == None || ToEntry[Block] == None)
      return {};
    std::vector<uint32_t> Way{Block};
    for (const std::vector<uint32_t> *Next : {&ToExit, &ToEntry})
      for (uint32_t At = Block; (*Next)[At] != At; Way.push_back(At))
        At = (*Next)[At];
    return Way;
  }

  double price(const std::vector<uint32_t> &Way) const {
    double Sum = 0;
    for (uint32_t Block : Way)
      Sum += Prices[Block];
    return Sum;
  }

private:
  /// For each block the next one towards Start; Start for itself, None without
  /// a way. Edges: (nearer, farther), best near Start first [Bellman, Ford].
  std::vector<uint32_t>
  nextBlocks(uint32_t Start,
             const std::vector<std::pair<uint32_t, uint32_t>> &Edges) const {
    std::vector<double> Best(Prices.size(),
                             std::numeric_limits<double>::infinity());
    std::vector<uint32_t> Next(Prices.size(), None);
    Best[Start] = Prices[Start];
    Next[Start] = Start;
    for (bool More = true; More;) {
      More = false;
      for (const auto &[Near, Far] : Edges)
        if (const double Sum = Best[Near] + Prices[Far]; Sum < Best[Far]) {
          Best[Far] = Sum;
          Next[Far] = Near;
          More = true;
        }
    }
    return Next;
  }

  std::vector<double> Prices;
  std::vector<uint32_t> ToExit, ToEntry;
};

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

  /// The likeliest way through an entered function ran, or one that is nearly
  /// as likely, whatever the zeros of its blocks say.
  void waysThrough(FunctionId Id) {
    std::map<uint32_t, double> &Blocks = Functions[Id].Blocks;
    const Ways Of(facts(Id), fact(Id), prices(Id));
    const std::vector<uint32_t> Way = Of.through(0);
    if (Way.empty() || Of.price(Way) == 0)
      return;
    std::vector<uint32_t> Wrong = Way;
    for (const auto &[Block, Runs] : Blocks) {
      if (Runs > 0 || std::ranges::count(Way, Block))
        continue;
      const std::vector<uint32_t> Other = Of.through(Block);
      auto Without = [&](std::vector<uint32_t> A,
                         const std::vector<uint32_t> &B) {
        std::erase_if(A, [&](uint32_t X) { return std::ranges::count(B, X); });
        return A;
      };
      if (!Other.empty() && Of.price(Without(Other, Way)) * AlsoWrong <=
                                Of.price(Without(Way, Other)))
        Wrong.push_back(Block);
    }
    for (uint32_t Block : Wrong)
      if (auto It = Blocks.find(Block); It != Blocks.end() && !(It->second > 0))
        Blocks.erase(It);
  }

  /// Nothing ran that only leads to, or only follows, what did not run.
  void aroundZeros(FunctionId Id) {
    std::map<uint32_t, double> &Blocks = Functions[Id].Blocks;
    const uint32_t Count = fact(Id).Blocks.size();
    for (bool More = true; More;) {
      More = false;
      std::vector<bool> To(Count), From(Count); // has edges that may have run
      To[0] = From[Count - 1] = true;
      auto Idle = [&](uint32_t Block) {
        auto It = Blocks.find(Block);
        return It != Blocks.end() && !(It->second > 0);
      };
      for (const EdgeFact &Edge : rowsOf(facts(Id).Edges, fact(Id).Edges)) {
        const bool Runs = Edge.Probability > 0;
        To[Edge.From] = To[Edge.From] || (Runs && !Idle(Edge.To));
        From[Edge.To] = From[Edge.To] || (Runs && !Idle(Edge.From));
      }
      for (uint32_t Block = 0; Block != Count; ++Block)
        if (!To[Block] || !From[Block])
          More |= Blocks.try_emplace(Block, 0).second;
    }
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

  /// The less a zero is believed, the less it costs to pass it.
  std::vector<double> prices(FunctionId Id) const {
    const std::vector<bool> Unsure = blocksWithoutOwnCode(Whole, Id);
    std::vector<double> Prices(fact(Id).Blocks.size());
    for (const auto &[Block, Runs] : Functions[Id].Blocks)
      if (!(Runs > 0))
        Prices[Block] =
            (Unsure[Block] ? UnsureZero : 1) / std::max(guess(Id, Block), 1e-6);
    return Prices;
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
    if (Functions[Id].reached() && !Functions[Id].Blocks.empty()) {
      Of.waysThrough(Id);
      Of.aroundZeros(Id);
    }
}

} // namespace kst
