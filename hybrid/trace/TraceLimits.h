// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a recorder was told to leave out, or could not write: texts of the run
// that say so, and what readers say of them.

#ifndef KST_HYBRID_TRACE_TRACELIMITS_H
#define KST_HYBRID_TRACE_TRACELIMITS_H

#include "hybrid/profile/Profile.h"

#include <string>
#include <vector>

namespace kst {

/// Texts about the run; their values are what the user asked for, or, of
/// IncompleteRun, what went wrong.
inline constexpr char OnlyTypes[] = "only types",
                      OnlyAddresses[] = "only addresses",
                      OnlyContexts[] = "only contexts",
                      SampledIntervals[] = "sample",
                      IncompleteRun[] = "incomplete";
/// Of a program: how many threads ran, and in which share of the time more than
/// one, 0..1 (ThreadSpans.h).
inline constexpr char RanThreads[] = "threads", RanTogether[] = "overlap";
/// Of a program of which starts and joins of threads are known: times before
/// which others were joined and after which more were started (StartsAndJoins).
inline constexpr char StartedBehind[] = "started behind joins";

/// What was not recorded by demand, a sentence each without its end. Empty: all
/// was recorded.
std::vector<std::string> recordedPart(const Profile &About);

/// The same with what follows for those who replay the accesses in caches, and
/// that threads ran one after the other.
std::vector<std::string> traceLimits(const Profile &About);

} // namespace kst

#endif
