// SPDX-License-Identifier: GPL-2.0-or-later
//
// The affinity graph as plain edges: pairs of fields with what they gain on
// one line and what they lose. Node numbers are indices into
// RecordInfo::Fields.

#pragma once

#include "hybrid/core/EvidenceOrigin.h"

#include <cstdint>

namespace kst {

/// A < B. Gain and Loss in the unit of set weights, both >= 0.
struct AffinityEdge {
  uint32_t A = 0, B = 0;
  double Gain = 0; ///< visits that need both, above chance
  double Loss = 0; ///< conflicts: one written while another CPU uses the other
  double Static = 0;  ///< share of Gain from static evidence, same unit
  double Dynamic = 0; ///< share of Gain from measured evidence, same unit
  Interval Sure;      ///< of Gain; 0, 0 where nothing was measured
};

} // namespace kst
