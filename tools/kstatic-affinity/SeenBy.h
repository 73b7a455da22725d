// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether all units that see a definition were looked at: what a patch has to
// say, and --write to know.

#ifndef KST_TOOLS_SEENBY_H
#define KST_TOOLS_SEENBY_H

#include "hybrid/core/Onlookers.h"
#include "tools/kstatic-affinity/Configs.h"

#include <vector>

namespace kst {

/// One for each configuration that has the struct. Reads the whole build
/// directory, a second or two for a kernel: only for those who ask.
std::vector<Onlookers> seenBy(const Options &Given, const Configs &All,
                              const StructInConfigs &Of);

} // namespace kst

#endif
