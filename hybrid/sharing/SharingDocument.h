// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is shared, for people and for programs.

#pragma once

#include "hybrid/findings/Finding.h"
#include "hybrid/report/Document.h"
#include "hybrid/sharing/Sharing.h"

#include <string>

namespace kst {

const char *spelling(SharedParts Between);

Document describe(const SharingReport &R);

/// What is shared falsely, at the place that writes it most; graded by the
/// cycles that an access loses: 10 and more are high, less than 1 low.
FindingList toFindings(const SharingReport &R);

/// kst-sharing/1: schema/kst-sharing-1.schema.json.
std::string toJson(const SharingReport &R);

} // namespace kst
