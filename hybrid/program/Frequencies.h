// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often each function runs, relative to the others: entry points get a
// prior, calls pass it on (docs/design/source.md, "The program").

#pragma once

#include "hybrid/program/CallGraph.h"
#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/program/Program.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// Names of functions that the engineer calls hot, and by how much.
using HotFunctions = std::map<std::string, double>;

struct Frequencies {
  std::vector<double> Entry; ///< invocations from outside of the program
  std::vector<double> Total; ///< all invocations
};

/// What is taken for true of how often code runs before the user's measurements
/// speak. Borrows the program.
struct Estimate {
  Frequencies Often;
  CodeFrequencies Code;
  /// By FunctionId, 0..1: the part of Often.Total that the reference saw run.
  /// Empty: without a reference.
  std::vector<double> Referenced;
  /// What functions that Code calls unseen may make of all accesses, at most.
  double UnseenAtMost = 1;

  double referenced(FunctionId Id) const {
    return Referenced.empty() ? 0 : Referenced[Id];
  }
};

/// Both vectors have one entry for each function, >= 0, in arbitrary but
/// common units. With hot functions given, they alone are entry points.
Estimate estimateFrequencies(const Program &Whole, const HotFunctions &Hot);

/// Calls passed on from the entries: Total of every function, but Fixed[f]
/// where that is not negative. Calls inside of a cycle are damped. Fixed may be
/// empty.
std::vector<double> propagate(CallGraph Graph, const std::vector<double> &Entry,
                              const std::vector<double> &Fixed);

} // namespace kst
