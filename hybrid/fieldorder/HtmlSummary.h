// SPDX-License-Identifier: GPL-2.0-or-later
//
// The head of the HTML report: what was asked, the verdict, what it is worth,
// and the fields that matter.

#ifndef KST_HYBRID_FIELDORDER_HTMLSUMMARY_H
#define KST_HYBRID_FIELDORDER_HTMLSUMMARY_H

#include "hybrid/fieldorder/HtmlPage.h"

namespace kst {

void writeSummary(HtmlPage &To);

} // namespace kst

#endif
