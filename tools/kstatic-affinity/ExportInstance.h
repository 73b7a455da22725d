// SPDX-License-Identifier: GPL-2.0-or-later
//
// `--instance FILE`: what the layout stage was given for each struct, as
// kst-instance/1 (docs/instance-format.md), one line each. Not a documented
// option: it feeds the published instance set and bug reports.

#ifndef KST_TOOLS_EXPORTINSTANCE_H
#define KST_TOOLS_EXPORTINSTANCE_H

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/Instance.h"

#include <string>

namespace kst {

/// The problem in one configuration, with the options of the layout stage. Pins
/// become fences; placements (`--pin FIELD=...`) are not part of the format.
/// Fields that the configuration lacks are left out, so numbers may differ from
/// those of `Evidence`.
Instance makeInstance(const AffinityEvidence &Evidence,
                      const LayoutOptions &How, const std::string &Triple);

} // namespace kst

#endif
