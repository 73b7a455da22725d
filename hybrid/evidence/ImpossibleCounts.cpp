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
  /// At least one block.
  Ways(const TuFacts &Facts, const FunctionFact &Function,
       std::vector<double> PriceOfBlocks)
      : Prices(std::move(PriceOfBlocks)) {
    std::vector<std::pair<uint32_t, uint32_t>> Edges;
    for (const EdgeFact &Edge : rowsOf(Facts.Edges, Function.Edges))
      Edges.push_back({Edge.To, Edge.From});
    ToExit = nextBlocks(0, Edges);
    // Blocks have numbers against the flow.
    std::ranges::reverse(Edges);
    for (auto &[From, To] : Edges)
      std::swap(From, To);
    ToEntry = nextBlocks(uint32_t(Prices.size()) - 1, Edges);
  }

  /// Its blocks; empty: none.
  std::vector<uint32_t> through(uint32_t Block) const {
    if (ToExit[Block] == None || ToEntry[Block] == None)
      return {};
    std::vector<uint32_t> Way{Block};
    for (const std::vector<uint32_t> *Next : {&ToExit, &ToEntry})
      for (uint32_t At = Block; (*Next)[At] != At; Way.push_back(At))
        At = (*Next)[At];
    return Way;
  }

  /// Of a block.
  double price(uint32_t Block) const { return Prices[Block]; }

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

  void zeros(FunctionId Id) {
    std::map<uint32_t, double> &Blocks = Functions[Id].Blocks;
    auto Idle = [](const auto &Of) { return !(Of.second > 0); };
    if (fact(Id).Blocks.size() == 0 || std::ranges::none_of(Blocks, Idle))
      return;
    const Ways Of(facts(Id), fact(Id), prices(Id));
    if (Of.through(0).empty())
      return; // it never returns: nobody knows how far it came
    const std::vector<bool> Wrong = refuted(Id, Of);
    std::erase_if(Blocks,
                  [&](const auto &B) { return Idle(B) && Wrong[B.first]; });
    aroundZeros(Id);
  }

private:
  /// The blocks that ran, whatever their zeros say: those of the likeliest way
  /// through the function and to what ran, and of ways that are nearly as
  /// likely.
  std::vector<bool> refuted(FunctionId Id, const Ways &Of) const {
    const std::map<uint32_t, double> &Blocks = Functions[Id].Blocks;
    std::vector<bool> Ran(fact(Id).Blocks.size());
    auto Run = [&](const std::vector<uint32_t> &Way) {
      for (uint32_t Block : Way)
        Ran[Block] = true;
    };
    const std::vector<uint32_t> Way = Of.through(0);
    Run(Way);
    std::vector<bool> OnWay = Ran, OnOther(Ran.size());
    for (const auto &[Block, Runs] : Blocks) {
      const std::vector<uint32_t> Other = Of.through(Block);
      if (Runs > 0)
        Run(Other);
      if (Runs > 0 || OnWay[Block] || Other.empty())
        continue;
      double Detour = 0, Avoided = 0;
      for (uint32_t At : Other) {
        OnOther[At] = true;
        Detour += OnWay[At] ? 0 : Of.price(At);
      }
      for (uint32_t At : Way)
        Avoided += OnOther[At] ? 0 : Of.price(At);
      for (uint32_t At : Other)
        OnOther[At] = false;
      if (Detour * AlsoWrong <= Avoided)
        Ran[Block] = true;
    }
    return Ran;
  }

  /// Nothing ran that only leads to, or only follows, what did not run.
  void aroundZeros(FunctionId Id) {
    const uint32_t Count = fact(Id).Blocks.size();
    std::vector<bool> Idle(Count);
    for (const auto &[Block, Runs] : Functions[Id].Blocks)
      Idle[Block] = !(Runs > 0);
    std::vector<uint32_t> Ways[2]; // of each block: edges that may have run
    std::vector<std::vector<uint32_t>> Next[2];
    for (unsigned Back : {0, 1}) {
      Ways[Back].resize(Count);
      Next[Back].resize(Count);
    }
    for (const EdgeFact &Edge : rowsOf(facts(Id).Edges, fact(Id).Edges))
      for (unsigned Back : {0, 1}) {
        const uint32_t From = Back ? Edge.To : Edge.From,
                       To = Back ? Edge.From : Edge.To;
        ++Ways[Back][From];
        Next[!Back][To].push_back(From);
      }
    std::vector<uint32_t> Work;
    for (uint32_t Block = 0; Block != Count; ++Block)
      if (Idle[Block])
        Work.push_back(Block);
    while (!Work.empty()) {
      const uint32_t Block = Work.back();
      Work.pop_back();
      for (unsigned Back : {0, 1})
        for (uint32_t Near : Next[!Back][Block])
          // The entry ran, and so did the exit.
          if (--Ways[Back][Near] == 0 && !Idle[Near] && Near != 0 &&
              Near != Count - 1 &&
              Functions[Id].Blocks.try_emplace(Near, 0).second) {
            Idle[Near] = true;
            Work.push_back(Near);
          }
    }
  }

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
    if (Functions[Id].reached() && !Functions[Id].Blocks.empty())
      Of.zeros(Id);
}

} // namespace kst
