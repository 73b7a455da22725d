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

/// As that of FindingForms.h.
std::string toSarif(const ReviewReport &R);

} // namespace kst
