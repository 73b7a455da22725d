// SPDX-License-Identifier: GPL-2.0-or-later
//
// A review for people, for programs, and for what shows findings beside the
// lines of a diff.

#pragma once

#include "hybrid/report/Document.h"
#include "hybrid/review/Review.h"

#include <string>

namespace kst {

Document describe(const ReviewReport &R);

/// schema/kst-review-1.schema.json. Ends with a newline.
std::string toJson(const ReviewReport &R);

/// SARIF 2.1.0: one run, a rule for each kind of finding, one result for each
/// finding with its fingerprint. Files are relative to %SRCROOT%.
std::string toSarif(const ReviewReport &R);

} // namespace kst
