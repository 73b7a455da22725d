// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/CodeFrequencies.h"

namespace kst {

CodeFrequencies::CodeFrequencies(const Program &Whole)
    : Whole(&Whole), Index(Whole.Functions.size(), None) {}

double CodeFrequencies::calls(FunctionId Function, uint32_t Block,
                              FunctionId Callee) const {
  if (StayedIn.empty() || !StayedIn[Callee] || known(Function, Block))
    return block(Function, Block);
  return Whole->unitOf(Function)
      .Blocks[Whole->Functions[Function].Fact->Blocks.Begin + Block]
      .Frequency;
}

double CodeFrequencies::block(FunctionId Function, uint32_t Block) const {
  if (uint32_t At = Index[Function]; At != None)
    return Overrides[At].Blocks[Block];
  const FunctionFact &Fact = *Whole->Functions[Function].Fact;
  return Whole->unitOf(Function).Blocks[Fact.Blocks.Begin + Block].Frequency;
}

double CodeFrequencies::loopEntry(FunctionId Function, uint32_t Loop) const {
  if (uint32_t At = Index[Function]; At != None)
    return Overrides[At].Loops[Loop].Entry;
  const FunctionFact &Fact = *Whole->Functions[Function].Fact;
  return Whole->unitOf(Function).Loops[Fact.Loops.Begin + Loop].EntryFrequency;
}

double CodeFrequencies::loopHeader(FunctionId Function, uint32_t Loop) const {
  if (uint32_t At = Index[Function]; At != None)
    return Overrides[At].Loops[Loop].Header;
  const FunctionFact &Fact = *Whole->Functions[Function].Fact;
  return Whole->unitOf(Function).Loops[Fact.Loops.Begin + Loop].HeaderFrequency;
}

std::vector<PossibleCallee>
CodeFrequencies::callees(FunctionId Caller, const CallFact &Call) const {
  std::vector<PossibleCallee> Found = Whole->callees(Caller, Call);
  if (!Weights.empty() && Found.size() > 1)
    weigh(Found);
  if (!Belief.empty())
    for (PossibleCallee &Callee : Found)
      Callee.Share *= Belief[Callee.Function];
  return Found;
}

void CodeFrequencies::weigh(std::vector<PossibleCallee> &Targets) const {
  double Counted = 0, Share = 0;
  for (const PossibleCallee &Callee : Targets)
    if (!Unseen[Callee.Function]) {
      Counted += Weights[Callee.Function];
      Share += Callee.Share;
    }
  const bool SomeUnseen = Share < 1 - 1e-9;
  for (PossibleCallee &Callee : Targets)
    if (!Unseen[Callee.Function] && (Counted > 0 || SomeUnseen))
      Callee.Share =
          Counted > 0 ? Share * Weights[Callee.Function] / Counted : 0;
}

bool CodeFrequencies::known(FunctionId Function, uint32_t Block) const {
  uint32_t At = Index[Function];
  return At != None && Overrides[At].Known[Block];
}

CodeFrequencies::Override &CodeFrequencies::overrideOf(FunctionId Function) {
  if (Index[Function] == None) {
    const TuFacts &Facts = Whole->unitOf(Function);
    const FunctionFact &Fact = *Whole->Functions[Function].Fact;
    Override New;
    for (const BlockFact &Block : rowsOf(Facts.Blocks, Fact.Blocks))
      New.Blocks.push_back(Block.Frequency);
    New.Known.resize(New.Blocks.size());
    for (const LoopFact &Loop : rowsOf(Facts.Loops, Fact.Loops))
      New.Loops.push_back({Loop.EntryFrequency, Loop.HeaderFrequency});
    Index[Function] = Overrides.size();
    Overrides.push_back(std::move(New));
  }
  return Overrides[Index[Function]];
}

void CodeFrequencies::setBlock(FunctionId Function, uint32_t Block,
                               double Frequency, bool Known) {
  Override &Changed = overrideOf(Function);
  Changed.Blocks[Block] = Frequency;
  Changed.Known[Block] = Known;
}

void CodeFrequencies::setLoop(FunctionId Function, uint32_t Loop, double Entry,
                              double Header) {
  overrideOf(Function).Loops[Loop] = {Entry, Header};
}

void CodeFrequencies::setCalleeWeights(std::vector<double> NewWeights,
                                       std::vector<bool> NewUnseen) {
  Weights = std::move(NewWeights);
  Unseen = std::move(NewUnseen);
}

} // namespace kst
