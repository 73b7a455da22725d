// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/CallCorrection.h"

#include <algorithm>

namespace kst {

/// A block that runs at each call of its function, up to rounding.
static constexpr double Always = 0.999;

const BlockFact &CallCorrection::block(const BlockPlace &Place) const {
  auto [Id, Block] = Place;
  return Whole.unitOf(Id)
      .Blocks[Whole.Functions[Id].Fact->Blocks.Begin + Block];
}

/// The frequency of a block before calls corrected it.
double CallCorrection::base(const BlockPlace &Place,
                            const CodeFrequencies &Code) {
  auto [It, New] = Base.try_emplace(Place, 0);
  if (New)
    It->second = Code.block(Place.first, Place.second);
  return It->second;
}

/// Calls in blocks that were not counted, by caller and call. Known, Open:
/// calls of each function from other blocks, and from these.
std::vector<CallCorrection::Call> CallCorrection::guessedCalls(
    const std::vector<double> &Ran, const CodeFrequencies &Code,
    std::vector<double> &Known, std::vector<double> &Open) const {
  std::vector<Call> Guessed;
  for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const Range Calls = Whole.Functions[Id].Fact->Calls;
    double Runs = Ran[Id];
    for (uint32_t I = Calls.Begin; I != Calls.End; ++I) {
      const CallFact &Fact = Facts.Calls[I];
      double Often = Runs * Code.block(Id, Fact.Block);
      bool Sure = Code.known(Id, Fact.Block) && Pools[Id].reached() &&
                  Pools[Id].Blocks.count(Fact.Block);
      for (const PossibleCallee &Callee : Code.callees(Id, Fact)) {
        double Times = Often * Callee.Share;
        (Sure ? Known : Open)[Callee.Function] += Times;
        if (!Sure)
          Guessed.push_back({Id, I, Callee.Function, Times});
      }
    }
  }
  return Guessed;
}

/// Of several calls in a block the one whose callees are surest of it.
std::map<CallCorrection::BlockPlace, CallCorrection::Implied>
CallCorrection::impliedBlocks(const std::vector<Call> &Guessed,
                              const std::vector<double> &Open,
                              const std::vector<double> &Ratio) const {
  std::map<BlockPlace, Implied> Blocks;
  for (size_t I = 0; I != Guessed.size();) {
    const Call &First = Guessed[I];
    double Before = 0, After = 0, Sure = 0;
    bool Any = false, Exact = true;
    for (; I != Guessed.size() && Guessed[I].Caller == First.Caller &&
           Guessed[I].Index == First.Index;
         ++I) {
      const Call &Guess = Guessed[I];
      Before += Guess.Times;
      bool Corrected = Ratio[Guess.Target] >= 0;
      Any |= Corrected;
      Exact &= Corrected && Static.Entry[Guess.Target] <= 0;
      After += Guess.Times * (Corrected ? Ratio[Guess.Target] : 1);
      if (Corrected && Open[Guess.Target] > 0)
        Sure += Guess.Times * Guess.Times / Open[Guess.Target];
    }
    if (!Any || !(Before > 0))
      continue;
    Sure /= Before;
    uint32_t Block = Whole.unitOf(First.Caller).Calls[First.Index].Block;
    Implied &Best = Blocks[{First.Caller, Block}];
    if (Sure > Best.Sureness)
      Best = {After, Sure, Exact};
  }
  return Blocks;
}

void CallCorrection::apply(const std::vector<double> &Ran,
                           CodeFrequencies &Code, std::vector<double> &Fixed) {
  std::vector<double> Known(Pools.size()), Open(Pools.size());
  const std::vector<Call> Guessed = guessedCalls(Ran, Code, Known, Open);
  // What each function's calls from guessed blocks are worth.
  std::vector<double> Ratio(Pools.size(), -1);
  for (FunctionId Id = 0; Id != Pools.size(); ++Id) {
    if (!Pools[Id].Counts || !Pools[Id].tellsCalls() || !(Open[Id] > 0))
      continue;
    double Left = std::max(0.0, Ran[Id] - Known[Id]);
    bool Closed = Static.Entry[Id] <= 0;
    Ratio[Id] = (Closed ? Left : std::min(Left, Open[Id])) / Open[Id];
  }
  std::map<FunctionId, Implied> EachTime;
  for (const auto &[Place, Says] : impliedBlocks(Guessed, Open, Ratio)) {
    auto [Id, Block] = Place;
    double Guess = base(Place, Code);
    double Runs = Ran[Id];
    if (!(Runs > 0))
      continue;
    if (Guess >= Always && block(Place).Loop == None) {
      // What it calls each time tells how often it ran: at most, or exactly.
      if (!Pools[Id].Counts && (Says.Exact || Says.Runs < Runs))
        if (Implied &Best = EachTime[Id]; Says.Sureness > Best.Sureness)
          Best = Says;
      continue;
    }
    double U = Pools[Id].reached() ? Pools[Id].Entries.unit() : 1;
    Code.setBlock(Id, Block, perCall(Says.Runs / U, Runs / U, Guess, Strength),
                  true);
  }
  for (const auto &[Id, Says] : EachTime)
    Fixed[Id] = Says.Runs;
}

} // namespace kst
