// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/BlockFrequency.h"

#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <cmath>

using namespace clang;

namespace kst {

static_assert(None == ~0u, "LoopForest and BlockFact spell 'no loop' alike");

namespace {

class FrequencySolver {
public:
  FrequencySolver(const LoopForest &Forest,
                  const std::vector<double> &Probability,
                  const FlowOptions &Options)
      : Forest(Forest), Probability(Probability), Options(Options),
        Frequency(Forest.blockCount(), 0), Round(Frequency.size(), 0),
        Damping(Frequency.size(), 1) {}

  std::vector<double> run();

private:
  void propagate(llvm::ArrayRef<uint32_t> Blocks, uint32_t Loop);
  double goingRound(const NaturalLoop &Loop);
  void iterate();

  const LoopForest &Forest;
  const std::vector<double> &Probability;
  const FlowOptions &Options;
  std::vector<double> Frequency;
  std::vector<double> Round;   ///< by header: probability of coming back
  std::vector<double> Damping; ///< by header: on back edges, if endless
};

/// Frequencies of Blocks, which are in order, for one run of the first.
/// Inner loops must have been solved. Loop ~0u: the whole function.
void FrequencySolver::propagate(llvm::ArrayRef<uint32_t> Blocks,
                                uint32_t Loop) {
  for (uint32_t Block : Blocks)
    Frequency[Block] = 0;
  for (uint32_t Block : Blocks) {
    double In = Block == Blocks.front() ? 1 : 0;
    if (Block != Blocks.front() || Loop == ~0u)
      for (uint32_t Index : Forest.incoming(Block)) {
        const FlowEdge &Edge = Forest.edges()[Index];
        if (!Edge.Back && !Edge.Irreducible)
          In += Frequency[Edge.From] * Probability[Index];
      }
    bool Own = Loop != ~0u && Block == Blocks.front();
    Frequency[Block] = Own ? In : In / (1 - Round[Block]);
  }
}

/// Probability that the header runs again, by the last propagate().
double FrequencySolver::goingRound(const NaturalLoop &Loop) {
  double Sum = 0;
  for (uint32_t Index : Forest.incoming(Loop.Header)) {
    const FlowEdge &Edge = Forest.edges()[Index];
    if (Edge.Back)
      Sum += Frequency[Edge.From] * Probability[Index];
  }
  if (Sum < 1 - 1e-6)
    return Sum;
  double Capped = 1 - 1 / std::max(Options.Trips, 1.0);
  Damping[Loop.Header] = Capped / Sum;
  return Capped;
}

/// Gauss-Seidel from the estimate at hand, for graphs in which some cycle has
/// two entries. Such edges lose a tenth of their flow, so that it ends.
void FrequencySolver::iterate() {
  uint32_t Entry = Forest.order().front();
  for (unsigned Sweep = 0; Sweep != 256; ++Sweep) {
    double Change = 0;
    for (uint32_t Block : Forest.order()) {
      double In = Block == Entry ? 1 : 0;
      for (uint32_t Index : Forest.incoming(Block)) {
        const FlowEdge &Edge = Forest.edges()[Index];
        double Share = Probability[Index];
        if (Edge.Back)
          Share *= Damping[Block];
        if (Edge.Irreducible)
          Share *= 0.9;
        In += Frequency[Edge.From] * Share;
      }
      Change = std::max(Change, std::fabs(In - Frequency[Block]));
      Frequency[Block] = In;
    }
    if (Change < 1e-9)
      return;
  }
}

std::vector<double> FrequencySolver::run() {
  llvm::ArrayRef<NaturalLoop> Loops = Forest.loops();
  for (uint32_t I = Loops.size(); I-- != 0;) {
    propagate(Loops[I].Blocks, I);
    Round[Loops[I].Header] = goingRound(Loops[I]);
  }
  propagate(Forest.order(), ~0u);
  if (Forest.irreducible())
    iterate();
  return std::move(Frequency);
}

} // namespace

std::vector<double> solveFrequencies(const LoopForest &Forest,
                                     const std::vector<double> &Probability,
                                     const FlowOptions &Options) {
  return FrequencySolver(Forest, Probability, Options).run();
}

/// Line of the loop statement, else of the first statement or label of the
/// header; where it is expanded, if it comes from a macro.
static uint32_t lineOf(const NaturalLoop &Loop, const CFGBlock *Header,
                       const ASTContext &Context) {
  SourceLocation Where;
  if (Loop.Statement)
    Where = Loop.Statement->getBeginLoc();
  else if (const Stmt *Label = Header->getLabel())
    Where = Label->getBeginLoc();
  for (const CFGElement &Element : *Header) {
    if (Where.isValid())
      break;
    if (auto Statement = Element.getAs<CFGStmt>())
      Where = Statement->getStmt()->getBeginLoc();
  }
  if (Where.isInvalid() && Header->getTerminatorStmt())
    Where = Header->getTerminatorStmt()->getBeginLoc();
  if (Where.isInvalid())
    return 0;
  const SourceManager &Sources = Context.getSourceManager();
  auto [Id, Offset] = Sources.getDecomposedExpansionLoc(Where);
  return Id.isInvalid() ? 0 : Sources.getLineNumber(Id, Offset);
}

FlowEstimate estimateFlow(const CFG &Graph, const ASTContext &Context,
                          const FlowOptions &Options) {
  LoopForest Forest(Graph, Context);
  std::vector<double> Probability =
      estimateBranches(Graph, Context, Forest, Options);
  std::vector<double> Frequency =
      solveFrequencies(Forest, Probability, Options);

  FlowEstimate Flow;
  Flow.Blocks.resize(Frequency.size());
  for (uint32_t Block : Forest.order())
    Flow.Blocks[Block] = {Frequency[Block], Forest.innermost(Block)};
  std::vector<const CFGBlock *> Headers(Frequency.size(), nullptr);
  if (!Forest.loops().empty())
    for (const CFGBlock *Block : Graph)
      Headers[Block->getBlockID()] = Block;
  for (const NaturalLoop &Loop : Forest.loops()) {
    LoopFact Fact;
    Fact.Parent = Loop.Parent;
    Fact.Line = lineOf(Loop, Headers[Loop.Header], Context);
    Fact.HeaderFrequency = Frequency[Loop.Header];
    for (uint32_t Index : Forest.incoming(Loop.Header)) {
      const FlowEdge &Edge = Forest.edges()[Index];
      if (!Edge.Back)
        Fact.EntryFrequency += Frequency[Edge.From] * Probability[Index];
    }
    Flow.Loops.push_back(Fact);
  }
  for (uint32_t I = 0; I != Forest.edges().size(); ++I)
    if (const FlowEdge &Edge = Forest.edges()[I]; Probability[I] > 0)
      Flow.Edges.push_back({Edge.From, Edge.To, Probability[I]});
  return Flow;
}

} // namespace kst
