// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Regions.h"

#include "passes/counters/FlowGraph.h"
#include "passes/counters/Markers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace kst::counters;

static bool returnsTwice(const Function &F) {
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB)
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Call->hasFnAttr(Attribute::ReturnsTwice))
          return true;
  return false;
}

/// Blocks from which control leaves F at some time. The others run for ever:
/// what enters them never comes out, so no flow is conserved there.
static DenseSet<const BasicBlock *> leaving(const Function &F,
                                            bool CallsReturn) {
  DenseSet<const BasicBlock *> Result;
  SmallVector<const BasicBlock *> Stack;
  for (const BasicBlock &BB : F)
    if (succ_empty(&BB) || any_of(BB, [&](const Instruction &I) {
          return !comesBack(I, CallsReturn);
        }))
      Stack.push_back(&BB);
  while (!Stack.empty()) {
    const BasicBlock *BB = Stack.pop_back_val();
    if (Result.insert(BB).second)
      Stack.append(pred_begin(BB), pred_end(BB));
  }
  return Result;
}

/// Where a counter of this edge alone can stand without a new block, and how
/// often; null if nowhere.
static std::pair<Instruction *, uint64_t>
placeBetween(BasicBlock &From, BasicBlock &To,
             const BlockFrequencyInfo &Frequencies) {
  if (To.getSinglePredecessor() && To.getFirstInsertionPt() != To.end())
    return {&*To.getFirstInsertionPt(),
            Frequencies.getBlockFreq(&To).getFrequency()};
  if (From.getSingleSuccessor() && isa<BranchInst>(From.getTerminator()))
    return {From.getTerminator(),
            Frequencies.getBlockFreq(&From).getFrequency()};
  return {nullptr, 0};
}

FunctionRegions
kst::counters::takeRegions(Function &F, const std::vector<Segment> &Segments,
                           const BlockFrequencyInfo &Frequencies,
                           bool CallsReturn, bool Between) {
  FunctionRegions Result;
  FlowGraph Graph;
  std::vector<Instruction *> Place; // of a counter for each edge
  SmallVector<Instruction *> Markers;
  DenseMap<const BasicBlock *, std::pair<uint32_t, uint32_t>> Ends;
  const bool EachItsOwn = returnsTwice(F);
  const DenseSet<const BasicBlock *> Leaving = leaving(F, CallsReturn);

  for (BasicBlock &BB : F) {
    uint32_t Node = Graph.addNode();
    uint32_t Start = Node;
    if (&BB == &F.getEntryBlock())
      Graph.join(FlowGraph::Outside, Node);
    Segment Open;
    Instruction *First = nullptr;
    // Ends the stretch that began at Node; a marked one gets an edge.
    auto Close = [&] {
      if (!First)
        return;
      uint32_t Behind = Graph.addNode();
      Graph.addMarked(Node, Behind,
                      Frequencies.getBlockFreq(&BB).getFrequency());
      Region R;
      R.Sites = std::move(Open);
      Result.Regions.push_back(std::move(R));
      Place.push_back(First);
      Open.clear();
      First = nullptr;
      Node = Behind;
    };
    for (Instruction &I : BB) {
      if (int64_t Number = markedSegment(I); Number >= 0) {
        Markers.push_back(&I);
        if (!First)
          First = &I;
        for (auto [Site, Times] : Segments[Number])
          Open[Site] += Times;
        continue;
      }
      if (comesBack(I, CallsReturn))
        continue;
      Close();
      Graph.join(Node, FlowGraph::Outside);
    }
    Close();
    if (succ_empty(&BB) || !Leaving.contains(&BB))
      Graph.join(Node, FlowGraph::Outside);
    Ends[&BB] = {Start, Node};
  }
  for (BasicBlock &BB : F)
    for (BasicBlock *Next : successors(&BB)) {
      uint32_t From = Ends[&BB].second, To = Ends[Next].first;
      auto [Where, Frequency] = placeBetween(BB, *Next, Frequencies);
      if (!Between || EachItsOwn || !Where) {
        Graph.join(From, To);
        continue;
      }
      Graph.addOptional(From, To, Frequency);
      Place.push_back(Where);
    }

  std::vector<std::vector<FlowGraph::Term>> Terms = Graph.solve();
  std::vector<uint32_t> Number(Terms.size(), ~0u);
  // Markers go; counters stand where the next instruction stands.
  for (Instruction *&Before : Place)
    if (markedSegment(*Before) >= 0)
      Before = behindMarkers(*Before);
  for (uint32_t I = 0; I != Terms.size(); ++I) {
    bool Own = EachItsOwn || (Terms[I].size() == 1 && Terms[I][0].Edge == I);
    if (!Own)
      continue;
    Number[I] = Result.Increments.size();
    Result.Increments.push_back(Place[I]);
  }
  for (uint32_t I = 0; I != Result.Regions.size(); ++I) {
    std::vector<Region::Term> &To = Result.Regions[I].Terms;
    if (Number[I] != ~0u)
      To.push_back({Number[I], 1});
    else
      for (const FlowGraph::Term &T : Terms[I])
        To.push_back({Number[T.Edge], T.Factor});
  }
  for (Instruction *Marker : Markers)
    Marker->eraseFromParent();
  return Result;
}
