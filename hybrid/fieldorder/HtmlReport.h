// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report as one HTML file to pass around: cache lines as strips of bytes,
// before and after side by side. It loads nothing, and everything is readable
// without scripts.

#ifndef KST_HYBRID_FIELDORDER_HTMLREPORT_H
#define KST_HYBRID_FIELDORDER_HTMLREPORT_H

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// A complete HTML document for one report, or for several one after another
/// with links at the top. Every text of a report is escaped. Equal reports
/// give equal bytes.
std::string toHtml(const Report &R);
std::string toHtml(const std::vector<Report> &Reports);

} // namespace kst

#endif
