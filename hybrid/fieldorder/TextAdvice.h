// SPDX-License-Identifier: GPL-2.0-or-later
//
// The advice in the text report: what it changes for whom, what other orders
// cost, how far it holds, and what stands in its way.

#ifndef KST_HYBRID_FIELDORDER_TEXTADVICE_H
#define KST_HYBRID_FIELDORDER_TEXTADVICE_H

#include "hybrid/fieldorder/TextPage.h"

namespace kst {

/// Paths, orders, frontier, configurations, fields held in place.
void writeAdvice(TextPage &To);

} // namespace kst

#endif
