// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/LoopForest.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace clang;

namespace kst {

bool expandsFrom(SourceLocation Loc, const ASTContext &Context,
                 llvm::function_ref<bool(llvm::StringRef)> Accept) {
  const SourceManager &Sources = Context.getSourceManager();
  for (; Loc.isMacroID(); Loc = Sources.getImmediateMacroCallerLoc(Loc))
    if (Accept(
            Lexer::getImmediateMacroName(Loc, Sources, Context.getLangOpts())))
      return true;
  return false;
}

bool isScopeMacro(SourceLocation Loc, const ASTContext &Context) {
  return expandsFrom(Loc, Context, [](llvm::StringRef Name) {
    return isA(NameKind::ScopeMacro, Name.ltrim('_'));
  });
}

LoopForest::LoopForest(const CFG &Graph, const ASTContext &Context) {
  unsigned Count = Graph.getNumBlockIDs();
  Position.assign(Count, ~0u);
  Innermost.assign(Count, ~0u);
  collectEdges(Graph, Context);
  sortBlocks(Graph);
  findDominators(Graph.getEntry().getBlockID());
  findLoops(Graph);
}

llvm::ArrayRef<FlowEdge> LoopForest::outgoing(uint32_t Block) const {
  return llvm::ArrayRef(Edges).slice(FirstEdge[Block],
                                     FirstEdge[Block + 1] - FirstEdge[Block]);
}

llvm::ArrayRef<uint32_t> LoopForest::incoming(uint32_t Block) const {
  return llvm::ArrayRef(Incoming).slice(
      FirstIncoming[Block], FirstIncoming[Block + 1] - FirstIncoming[Block]);
}

/// The scope of a lock written as a loop runs once: what its end sends back to
/// the condition goes on to the exit instead.
static llvm::DenseMap<const Stmt *, const CFGBlock *>
exitsOfScopes(const CFG &Graph, const ASTContext &Context) {
  llvm::DenseMap<const Stmt *, const CFGBlock *> Exits;
  for (const CFGBlock *Block : Graph) {
    const auto *For = dyn_cast_or_null<ForStmt>(Block->getTerminatorStmt());
    if (For && For->getForLoc().isMacroID() && Block->succ_size() == 2)
      if (const CFGBlock *Exit = *std::next(Block->succ_begin()))
        if (isScopeMacro(For->getForLoc(), Context))
          Exits[For] = Exit;
  }
  return Exits;
}

void LoopForest::collectEdges(const CFG &Graph, const ASTContext &Context) {
  auto Scopes = exitsOfScopes(Graph, Context);
  unsigned Count = Graph.getNumBlockIDs();
  std::vector<const CFGBlock *> ById(Count, nullptr);
  for (const CFGBlock *Block : Graph)
    ById[Block->getBlockID()] = Block;
  FirstEdge.reserve(Count + 1);
  for (uint32_t Id = 0; Id != Count; ++Id) {
    FirstEdge.push_back(Edges.size());
    if (!ById[Id])
      continue;
    const CFGBlock *ScopeExit =
        Scopes.empty() ? nullptr : Scopes.lookup(ById[Id]->getLoopTarget());
    uint32_t Slot = 0;
    for (const CFGBlock::AdjacentBlock &Next : ById[Id]->succs()) {
      if (const CFGBlock *To = Next.getReachableBlock())
        Edges.push_back({Id, (ScopeExit ? ScopeExit : To)->getBlockID(), Slot});
      ++Slot;
    }
  }
  FirstEdge.push_back(Edges.size());
}

void LoopForest::sortBlocks(const CFG &Graph) {
  // Depth first without recursion: block and its next edge.
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 32> Stack;
  uint32_t Entry = Graph.getEntry().getBlockID();
  Position[Entry] = 0;
  Stack.push_back({Entry, FirstEdge[Entry]});
  while (!Stack.empty()) {
    auto &[Block, Edge] = Stack.back();
    if (Edge == FirstEdge[Block + 1]) {
      Order.push_back(Block);
      Stack.pop_back();
      continue;
    }
    uint32_t To = Edges[Edge++].To;
    if (Position[To] != ~0u)
      continue;
    Position[To] = 0;
    Stack.push_back({To, FirstEdge[To]});
  }
  std::ranges::reverse(Order);
  for (uint32_t I = 0; I != Order.size(); ++I)
    Position[Order[I]] = I;

  // Edges out of what is not reached are none; then edges by target.
  unsigned Count = Position.size(), Kept = 0;
  for (uint32_t Block = 0, Next = 0; Block != Count; ++Block) {
    uint32_t Begin = Next, End = FirstEdge[Block + 1];
    Next = End;
    FirstEdge[Block] = Kept;
    if (reachable(Block))
      for (uint32_t Edge = Begin; Edge != End; ++Edge)
        Edges[Kept++] = Edges[Edge];
  }
  FirstEdge[Count] = Kept;
  Edges.resize(Kept);
  FirstIncoming.assign(Count + 1, 0);
  for (const FlowEdge &Edge : Edges)
    ++FirstIncoming[Edge.To + 1];
  for (unsigned I = 0; I != Count; ++I)
    FirstIncoming[I + 1] += FirstIncoming[I];
  Incoming.resize(Kept);
  std::vector<uint32_t> Fill(FirstIncoming.begin(), FirstIncoming.end() - 1);
  for (uint32_t I = 0; I != Kept; ++I)
    Incoming[Fill[Edges[I].To]++] = I;
}

/// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm (2001).
void LoopForest::findDominators(uint32_t Entry) {
  Dominator.assign(Order.size(), ~0u);
  Dominator[Position[Entry]] = Position[Entry];
  auto Meet = [this](uint32_t A, uint32_t B) {
    while (A != B) {
      while (A > B)
        A = Dominator[A];
      while (B > A)
        B = Dominator[B];
    }
    return A;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t I = 1; I < Order.size(); ++I) {
      uint32_t New = ~0u;
      for (uint32_t Edge : incoming(Order[I])) {
        uint32_t From = Position[Edges[Edge].From];
        if (Dominator[From] != ~0u)
          New = New == ~0u ? From : Meet(From, New);
      }
      Changed |= Dominator[I] != New;
      Dominator[I] = New;
    }
  }
}

bool LoopForest::dominates(uint32_t Above, uint32_t Below) const {
  uint32_t Want = Position[Above], At = Position[Below];
  while (At > Want)
    At = Dominator[At];
  return At == Want;
}

bool LoopForest::contains(uint32_t Loop, uint32_t Block) const {
  uint32_t At = Innermost[Block];
  while (At != ~0u && At > Loop)
    At = Loops[At].Parent;
  return At == Loop;
}

void LoopForest::findLoops(const CFG &Graph) {
  llvm::SmallVector<uint32_t, 8> BackEdges;
  for (uint32_t I = 0; I != Edges.size(); ++I) {
    FlowEdge &Edge = Edges[I];
    if (Position[Edge.To] > Position[Edge.From])
      continue;
    Edge.Back = dominates(Edge.To, Edge.From);
    Edge.Irreducible = !Edge.Back;
    HasIrreducible |= Edge.Irreducible;
    if (Edge.Back)
      BackEdges.push_back(I);
  }
  if (BackEdges.empty())
    return;

  // A header comes before the headers of the loops in its loop.
  std::ranges::stable_sort(BackEdges, [&](auto A, auto B) {
    return Position[Edges[A].To] < Position[Edges[B].To];
  });
  std::vector<const CFGBlock *> ById(Position.size(), nullptr);
  for (const CFGBlock *Block : Graph)
    ById[Block->getBlockID()] = Block;
  std::vector<bool> Inside;
  for (unsigned I = 0; I != BackEdges.size();) {
    NaturalLoop Loop;
    Loop.Header = Edges[BackEdges[I]].To;
    Loop.Goto = true;
    Inside.assign(Position.size(), false);
    Inside[Loop.Header] = true;
    llvm::SmallVector<uint32_t, 16> Work;
    auto Add = [&](uint32_t Block) {
      if (!Inside[Block]) {
        Inside[Block] = true;
        Work.push_back(Block);
      }
    };
    for (; I != BackEdges.size() && Edges[BackEdges[I]].To == Loop.Header;
         ++I) {
      const CFGBlock *Latch = ById[Edges[BackEdges[I]].From];
      if (!isa_and_nonnull<GotoStmt>(Latch->getTerminatorStmt()))
        Loop.Goto = false;
      if (Latch->getLoopTarget())
        Loop.Statement = Latch->getLoopTarget();
      Add(Latch->getBlockID());
    }
    while (!Work.empty())
      for (uint32_t Edge : incoming(Work.pop_back_val()))
        Add(Edges[Edge].From);

    uint32_t Index = Loops.size();
    Loop.Parent = Innermost[Loop.Header];
    if (Loop.Parent != ~0u)
      Loop.Depth = Loops[Loop.Parent].Depth + 1;
    for (uint32_t P = Position[Loop.Header]; P != Order.size(); ++P)
      if (Inside[Order[P]]) {
        Loop.Blocks.push_back(Order[P]);
        Innermost[Order[P]] = Index;
      }
    Loops.push_back(std::move(Loop));
  }
}

} // namespace kst
