// SPDX-License-Identifier: GPL-2.0-or-later
//
// Estimates with the reference's numbers in some places and the source's in
// all others: where a loss comes from (bench/ablation.py).

#pragma once

#include "hybrid/program/Frequencies.h"

namespace kst {

/// Whose numbers come from the reference.
struct ReferenceParts {
  bool Branches = true; ///< blocks, per round of the loop around them
  bool Trips = true;    ///< rounds of loops
  bool Tables = true;   ///< shares of the targets of a call through a table
  bool Entries = true;  ///< calls from outside of the program
  bool Runs = true;     ///< calls of functions, whatever their callers say
  bool Visitors = true; ///< who comes to objects
  /// Of how often code runs.
  bool all() const { return Branches && Trips && Tables && Entries && Runs; }
};

/// Both are of the program. Calls follow from entries and branches as they do
/// without measurements, but for the functions whose runs are known.
Estimate mixed(const Program &Whole, const Estimate &Source,
               const Estimate &Reference, const ReferenceParts &Parts);

} // namespace kst
