// SPDX-License-Identifier: GPL-2.0-or-later
//
// The numbers that say how good a layout is, before and after, with a plain
// word for each. Text and HTML show these rows and no others.

#ifndef KST_HYBRID_FIELDORDER_SUMMARYVIEW_H
#define KST_HYBRID_FIELDORDER_SUMMARYVIEW_H

#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <vector>

namespace kst {

/// Then and Change are empty when nothing is proposed.
struct SummaryRow {
  std::string What;
  std::string Now, Then, Change;
  std::string Words;
};

/// Costs are divided by the weight of all sets: they are per visit. Empty
/// without evidence.
std::vector<SummaryRow> summaryOf(const ReportView &View);

/// What the fields of a group have in common, e.g. "read-mostly, lockless,
/// 82% by other CPUs".
std::string characterOf(const Report &R, const GroupView &Group);

/// Configurations that the search looked at together.
uint64_t optimisedCount(const Report &R);

/// Whether one of the two orders has a cost of sharing.
bool sharesLines(const Report &R);

/// Whether the report proposes another layout.
bool proposes(const Report &R);

} // namespace kst

#endif
