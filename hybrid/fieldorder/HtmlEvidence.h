// SPDX-License-Identifier: GPL-2.0-or-later
//
// The evidence in the HTML report: sets, risks of sharing, fields, and what was
// looked at.

#ifndef KST_HYBRID_FIELDORDER_HTMLEVIDENCE_H
#define KST_HYBRID_FIELDORDER_HTMLEVIDENCE_H

#include "hybrid/fieldorder/HtmlPage.h"

namespace kst {

void writeEvidence(HtmlPage &To);

} // namespace kst

#endif
