// SPDX-License-Identifier: GPL-2.0-or-later
//
// The evidence in the text report: the strongest sets, why fields share a line
// and why they should not, and what was looked at.

#ifndef KST_HYBRID_FIELDORDER_TEXTEVIDENCE_H
#define KST_HYBRID_FIELDORDER_TEXTEVIDENCE_H

#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/TextPage.h"

namespace kst {

/// Sets, reasons of groups, risks of sharing, coverage.
void writeEvidence(TextPage &To);

/// "place (kind, share of what the line of the group saves)".
std::string groupReason(const TextPage &To, const GroupView &Group,
                        const GroupReason &Why);

} // namespace kst

#endif
