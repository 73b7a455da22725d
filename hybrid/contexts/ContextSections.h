// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of the document of `contexts report` about memory over time.

#pragma once

#include "hybrid/contexts/Contexts.h"
#include "hybrid/report/Document.h"

namespace kst {

inline constexpr size_t ShownContextTypes = 25; ///< in short, of a table

inline double shareOf(double Part, double Whole) {
  return Whole > 0 ? Part / Whole : 0;
}

Section lifetimesSection(const ContextsReport &R);
Section strandedSection(const ContextsReport &R);
Section puritySection(const ContextsReport &R);

} // namespace kst
