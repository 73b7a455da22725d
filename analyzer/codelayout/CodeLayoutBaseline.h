// SPDX-License-Identifier: GPL-2.0-or-later
//
// LLVM's cache-directed sort as a baseline. It orders functions for the
// instruction cache; fields of a struct look alike enough to ask: sizes, how
// often each is used, which are used together. Here, and not in hybrid/,
// because it calls LLVM.

#pragma once

#include "hybrid/layout/Baselines.h"

namespace kst {

/// "llvm::codelayout": llvm::codelayout::computeCacheDirectedLayout() over the
/// move units that the evidence speaks of. Node sizes in bytes, counts the
/// expected visits, edges the gain (they have no direction: half each way),
/// calls from the middle of the source; weights scaled to integers up to 2^30,
/// the line size as the size of a line, everything else LLVM's default. Falling
/// back to its own hotness order is LLVM's choice. Legal by arranged();
/// deterministic for one version of LLVM.
Baseline codeLayoutBaseline(const SearchSpace &Space,
                            const AffinityGraph &Graph);

} // namespace kst
