// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions that a thread runs once and stays in, and which of their loops
// are its rounds. Between two rounds, other threads run rounds of theirs.

#pragma once

#include "hybrid/program/CodeFrequencies.h"

#include <algorithm>
#include <map>
#include <vector>

namespace kst {

struct ThreadRounds {
  /// One entry for each function: whether it is given to a call that starts a
  /// thread (vocabulary: ThreadStart), as it is, through parameters, or in a
  /// field; or is called by such functions alone, each time outside of loops.
  /// main() is one of the first kind if it waits (see Waits) and something
  /// starts a thread.
  std::vector<bool> Functions;
  /// Of those whose thread waits for events, by loop: whether it waits, and
  /// with it those around it. Only these are rounds; of other functions all
  /// loops are.
  std::map<FunctionId, std::vector<bool>> Waiting;
  /// The units are a program: they have its main(), and start threads.
  bool OfProgram = false;

  bool any() const {
    return std::ranges::find(Functions, true) != Functions.end();
  }
};

/// Loops wait that call a function for events (vocabulary: Wait), or one that
/// does so at most WaitDepth calls further down.
inline constexpr unsigned WaitDepth = 3; ///< a judgement

ThreadRounds threadRounds(const Program &Whole, const CodeFrequencies &Code);

/// What such functions do outside of their rounds, they do once in the life of
/// a thread: next to a round it hardly counts.
void weighRounds(const Program &Whole, const ThreadRounds &Rounds,
                 CodeFrequencies &Code);
inline constexpr double OncePerRound = 1e-3; ///< a judgement

} // namespace kst
