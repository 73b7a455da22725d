// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the threads of a program access, from its source: the code that starts
// them, what it gives each of them, and what their functions do to memory, with
// their callees.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/sharing/MemoryPlace.h"

#include <string>
#include <vector>

namespace kst {

/// Threads that one place of the code starts; or the one that runs main(),
/// while there are others.
struct ThreadRole {
  std::string Function; ///< that they run
  Site Started;         ///< Function "": of main()
  bool Many = false;    ///< started in a loop, or on several ways
  /// Roles of different numbers do not run at the same time: between their
  /// starts others are waited for.
  uint32_t Phase = 0;
  uint32_t ProgramNumber = 0; ///< of which main(); those of two never meet
  double Blocks = 0;          ///< of code that one thread runs, accesses or not
};

/// An access that the threads of a role make.
struct RoleUse {
  uint32_t Role = 0;
  MemoryPlace At;
  uint32_t SizeBytes = 0;
  double Reads = 0, Writes = 0; ///< expected in the life of a thread
  Site Where;
  /// Those of the role that make it, one bit each: what branches on the number
  /// of a thread leave.
  uint32_t Threads = ~0u;
};

struct ThreadWalk {
  std::vector<ThreadRole> Roles;
  std::vector<RoleUse> Uses;
  /// Starts of which it is not known what they start; calls that were not
  /// followed for want of room.
  uint32_t UnknownStarts = 0, Unfollowed = 0;
  uint32_t UnknownPlaces = 0; ///< places of the source that access who knows
                              ///< what
};

/// From main(), or from each function that starts threads if there is none.
/// What main() does is part of it from the first start on until the first join,
/// as the lines of its functions have them.
ThreadWalk walkThreads(const Program &Whole, const CodeFrequencies &Code);

} // namespace kst
