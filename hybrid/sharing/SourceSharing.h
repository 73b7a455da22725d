// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sharing as the source alone tells it: the uses of all threads, laid out in
// memory as a compiler and an allocator would.

#pragma once

#include "hybrid/sharing/Findings.h"
#include "hybrid/sharing/ThreadWalk.h"

namespace kst {

/// Threads of a role that is started in a loop.
inline constexpr uint32_t ThreadsOfMany = 4;
std::vector<uint32_t> threadsOf(const ThreadWalk &Walk);

/// Variables of one file lie behind one another in the order of their
/// definitions, those with values apart from those without; what a thread
/// allocates itself is on lines of its own, other blocks lie as a small heap
/// has them. Accesses to elements that nobody can tell are left out.
void addSourceSharing(SharingReport &To, const Program &Whole,
                      const ThreadWalk &Walk, const Machine &On);

} // namespace kst
