// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings of several configurations as one list.

#pragma once

#include "hybrid/findings/Finding.h"

namespace kst {

/// As many findings are kept: what GitHub takes of one SARIF file.
inline constexpr size_t MaxFindings = 5000;

/// Makes findings of one key one, with all their configurations and the words
/// of the worst, sorts them by grade, share and key, and omits what is beyond
/// the most.
void mergeFindings(FindingList &Report);

} // namespace kst
