// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces whose accesses are samples: single ones out of many, as perf takes
// them. They count; what came before and after each is not known.

#ifndef KST_HYBRID_TRACE_SAMPLEDTRACE_H
#define KST_HYBRID_TRACE_SAMPLEDTRACE_H

#include "hybrid/profile/Profile.h"

namespace kst {

/// The text about the run that says so; its value says by whom.
inline constexpr char SampledAccesses[] = "accesses are samples";

inline bool accessesAreSamples(const Profile &About) {
  return About.Text.contains(SampledAccesses);
}

/// Why a question about the order of accesses has no answer.
inline constexpr char NoOrderInSamples[] =
    "its accesses are samples: caches cannot be replayed, since what was "
    "accessed between them is not known";

} // namespace kst

#endif
