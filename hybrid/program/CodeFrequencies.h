// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often the blocks and loops of a function run per call, and how a call
// through a table splits over those it may reach: the front end's estimates,
// or what a measurement put in their place.

#pragma once

#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// Starts as the estimates of the facts. Borrows the program.
class CodeFrequencies {
public:
  explicit CodeFrequencies(const Program &Whole);

  /// Expected executions per call of the function, >= 0. Numbers of blocks and
  /// loops are relative to the function.
  double block(FunctionId Function, uint32_t Block) const;
  /// The same of a block as one that calls Callee: a function that a thread
  /// enters once and stays in counts by its rounds, however little the block
  /// does (Rounds.h).
  double calls(FunctionId Function, uint32_t Block, FunctionId Callee) const;
  double loopEntry(FunctionId Function, uint32_t Loop) const;
  double loopHeader(FunctionId Function, uint32_t Loop) const;
  /// As Program::callees(), with the shares known here.
  std::vector<PossibleCallee> callees(FunctionId Caller,
                                      const CallFact &Call) const;

  /// Whether the number of a block is no longer a guess from the source alone.
  bool known(FunctionId Function, uint32_t Block) const;

  void setBlock(FunctionId Function, uint32_t Block, double Frequency,
                bool Known);
  /// By function.
  void setStayedIn(std::vector<bool> Functions) {
    StayedIn = std::move(Functions);
  }
  void setLoop(FunctionId Function, uint32_t Loop, double Entry, double Header);
  /// Calls through tables split by these numbers, one for each function; evenly
  /// where no target has one. A target that no counter could see keeps
  /// its even share, whatever its number: what counted targets leave of the
  /// calls may as well go to code that was not analysed.
  void setCalleeWeights(std::vector<double> Weights, std::vector<bool> Unseen);
  /// As given to setCalleeWeights(); empty before that.
  const std::vector<bool> &unseen() const { return Unseen; }
  /// The part of the calls of each function, 0..1, that are believed: the
  /// shares of callees() are so much smaller, whoever calls.
  void setBelief(std::vector<double> Parts) { Belief = std::move(Parts); }
  /// As given; empty: all are.
  const std::vector<double> &belief() const { return Belief; }

private:
  struct LoopNumbers {
    double Entry, Header;
  };
  struct Override {
    std::vector<double> Blocks;
    std::vector<bool> Known;
    std::vector<LoopNumbers> Loops;
  };
  Override &overrideOf(FunctionId Function);
  void weigh(std::vector<PossibleCallee> &Targets) const;

  const Program *Whole;
  std::vector<uint32_t> Index; ///< into Overrides, or None
  std::vector<Override> Overrides;
  std::vector<bool> StayedIn;  ///< empty: none is
  std::vector<double> Weights; ///< of targets, or empty
  std::vector<bool> Unseen;    ///< as long as Weights
  std::vector<double> Belief;
};

} // namespace kst
