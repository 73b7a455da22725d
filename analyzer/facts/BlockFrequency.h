// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often each block of a function runs for one call of the function: the
// weight of everything that the facts say about that block.

#pragma once

#include "analyzer/facts/BranchHeuristics.h"
#include "hybrid/facts/Facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"

#include <vector>

namespace kst {

struct FlowEstimate {
  /// Index: CFGBlock::getBlockID(). Blocks that cannot be reached have
  /// frequency 0 and no loop.
  std::vector<BlockFact> Blocks;
  /// Natural loops, outer ones before the loops in them.
  std::vector<LoopFact> Loops;
  /// By source block, those of probability 0 left out.
  std::vector<EdgeFact> Edges;
};

/// Frequencies by Wu and Larus (MICRO'94): loops from the inside out, each
/// multiplied by 1 / (1 - probability of going round). Flow is conserved at
/// every block, except around loops without an end, which are taken to run
/// FlowOptions::Trips times, and in irreducible graphs, where an iteration
/// stops when close. Never fails; same graph, same result.
///
/// Graph should be built with setAllAlwaysAdd() and pruned of trivially false
/// edges, so that `do { } while (0)` is no loop.
FlowEstimate estimateFlow(const clang::CFG &Graph,
                          const clang::ASTContext &Context,
                          const FlowOptions &Options = {});

/// The solver alone: executions of each block per call, given what
/// estimateBranches() says.
std::vector<double> solveFrequencies(const LoopForest &Forest,
                                     const std::vector<double> &Probability,
                                     const FlowOptions &Options);

} // namespace kst
