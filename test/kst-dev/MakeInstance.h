// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the layout stage is given for a struct, as a layout problem in a file.

#pragma once

#include "hybrid/layout/Advise.h"
#include "test/kst-dev/Instance.h"

#include <string>

namespace kst {

/// The problem in one configuration, with the options of the layout stage. Pins
/// become immovable fields; placements (`--pin FIELD=...`) are not part of the
/// format. Fields that the configuration lacks are left out, so numbers may
/// differ from those of `Evidence`.
Instance makeInstance(const AffinityEvidence &Evidence,
                      const LayoutOptions &Options, const std::string &Triple);

} // namespace kst
