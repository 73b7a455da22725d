// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the counts of a function say about the blocks that call it.

#pragma once

#include "hybrid/evidence/PooledCounts.h"
#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/program/Frequencies.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace kst {

/// A counted function was called exactly, or at most, as often as it was
/// entered: what is predicted for the calls of it in blocks without counts is
/// brought down, or up, to what is left. Remembers what each block was guessed
/// to be before its first correction. Borrows everything.
class CallCorrection {
public:
  /// Strength: of the estimate of a block, in calls of its function.
  CallCorrection(const Program &Whole, const Frequencies &Static,
                 std::span<const PooledFunction> Pools, double Strength)
      : Whole(Whole), Static(Static), Pools(Pools), Strength(Strength) {}

  /// One round. Ran: calls of each function as they are known now. Fixed: calls
  /// of functions that are known by what they call each time.
  void apply(const std::vector<double> &Ran, CodeFrequencies &Code,
             std::vector<double> &Fixed);

private:
  struct Call {
    FunctionId Caller;
    uint32_t Index; ///< of the call, in the caller's unit
    FunctionId Target;
    double Times; ///< predicted
  };
  /// What the calls of one block imply about it.
  struct Implied {
    double Runs = 0;
    double Sureness = -1; ///< 0..1: how much of the callee's calls are here
    bool Exact = false;   ///< all callees are called from the program only
  };
  using BlockPlace = std::pair<FunctionId, uint32_t>;

  std::vector<Call> guessedCalls(const std::vector<double> &Ran,
                                 const CodeFrequencies &Code,
                                 std::vector<double> &Known,
                                 std::vector<double> &Open) const;
  std::map<BlockPlace, Implied>
  impliedBlocks(const std::vector<Call> &Guessed,
                const std::vector<double> &Open,
                const std::vector<double> &Ratio) const;
  const BlockFact &block(const BlockPlace &Place) const;
  double base(const BlockPlace &Place, const CodeFrequencies &Code);

  const Program &Whole;
  const Frequencies &Static;
  std::span<const PooledFunction> Pools;
  double Strength;
  std::map<BlockPlace, double> Base;
};

} // namespace kst
