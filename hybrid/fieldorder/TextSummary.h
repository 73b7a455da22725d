// SPDX-License-Identifier: GPL-2.0-or-later
//
// The first screen of the text report: what was asked, the verdict, what it
// is worth, and the fields that matter.

#ifndef KST_HYBRID_FIELDORDER_TEXTSUMMARY_H
#define KST_HYBRID_FIELDORDER_TEXTSUMMARY_H

#include "hybrid/fieldorder/TextPage.h"

namespace kst {

void writeSummary(TextPage &To);

} // namespace kst

#endif
