// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a trace says of globals that start or stop sharing a line.

#pragma once

#include "hybrid/isolation/GlobalReplay.h"
#include "hybrid/isolation/Impact.h"

namespace kst {

/// One trace, replayed where globals were and where they come to be. Nothing is
/// owned.
struct ImpactReplays {
  const std::vector<Global> &Globals;     ///< of Before
  const std::vector<GlobalPlace> &Places; ///< afterwards, by global
  const GlobalReplay &Old, &New;
  const ImpactSide &Before;
  uint64_t LineBytes = 64;
};

/// Gives the pairs their misses, and adds those that have one in 1000 of all
/// and that no instruction told of. Most misses come first.
void addReplays(Impact &To, const ImpactReplays &Of);

} // namespace kst
