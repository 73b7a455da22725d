// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of a described report, in their order, and the forms that several
// of them use.

#pragma once

#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/ReportView.h"
#include "hybrid/report/Document.h"

namespace kst {

/// Costs before and after, and the hottest groups.
void describeSummary(const ReportView &View, Document &Doc);
/// Paths, orders, frontier, configurations, fields held in place.
void describeAdvice(const ReportView &View, Document &Doc);
/// Orders on a trace; nothing without one.
void describeReplay(const ReportView &View, Document &Doc);
/// The current and the proposed layout.
void describeLayouts(const ReportView &View, Document &Doc);
/// Sets, reasons of groups, risks of sharing, fields.
void describeEvidence(const ReportView &View, Document &Doc);
/// Nothing without a profile.
void describeMeasured(const ReportView &View, Document &Doc);
/// What was looked at.
void describeCoverage(const ReportView &View, Document &Doc);

/// "function()  file:line", as far as known.
Sentence placeOf(const Site &S);
/// "rw function()  file:line".
Sentence siteOf(const AccessSite &At);
/// In short the first Count.
Sentence fieldNames(const ReportView &View, const std::vector<uint32_t> &Fields,
                    size_t Count);
/// "place (rw, local visit, 16.5% of the saving)".
Sentence reasonOf(const ReportView &View, const GroupView &Group,
                  const GroupReason &Why);

} // namespace kst
