// SPDX-License-Identifier: GPL-2.0-or-later
//
// How far the advice can be trusted and what limits it: the rules that hold
// fields in place, with their price, and the draws of the weights.

#pragma once

#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <vector>

namespace kst {

/// One rule.
struct HeldRow {
  const ConstraintNote *Note;      ///< its first, of the report
  std::vector<std::string> Fields; ///< all that it holds; none: everything
  double Share = 0;                ///< what it blocks, of the current cost
};

/// All rules: lifted ones, then those that block most, then as the report has
/// them.
std::vector<HeldRow> heldFields(const ReportView &View);

/// Share of the current cost that all liftable rules together block.
double blockedShare(const ReportView &View);

/// "lifted", "hard", "soft", or "fixed" for what nobody can lift.
std::string strengthWord(const ConstraintNote &Note);

/// "field, field: why", or only why for a rule about the whole record.
std::string heldWords(const HeldRow &Row);

/// What the draws of the weights say, and what such a gain came to in misses,
/// in sentences; "" when there were no draws.
std::string stabilityWords(const ReportView &View);

} // namespace kst
