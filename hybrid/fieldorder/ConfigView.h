// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the two orders mean for each configuration and line size.

#ifndef KST_HYBRID_FIELDORDER_CONFIGVIEW_H
#define KST_HYBRID_FIELDORDER_CONFIGVIEW_H

#include "hybrid/fieldorder/LayoutView.h"

#include <string>
#include <vector>

namespace kst {

/// One configuration with one line size. First of each pair: current.
struct ConfigRow {
  std::string Name; ///< the configuration's, else its triple
  uint32_t LineBytes = 0;
  uint64_t SizeNow = 0, SizeThen = 0;
  uint64_t HolesNow = 0, HolesThen = 0; ///< bytes between fields, rounded up
  uint64_t PaddingNow = 0, PaddingThen = 0; ///< bytes after the last field
  /// Per visit of that configuration, or as it is when its visits are unknown.
  double CostNow = 0, CostThen = 0;
  bool Optimised = true; ///< false: only scored
};

/// One row per target, in their order.
std::vector<ConfigRow> configsOf(const Report &R);

} // namespace kst

#endif
