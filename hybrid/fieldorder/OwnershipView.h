// SPDX-License-Identifier: GPL-2.0-or-later
//
// What text, HTML and patches say about who uses the objects.

#ifndef KST_HYBRID_FIELDORDER_OWNERSHIPVIEW_H
#define KST_HYBRID_FIELDORDER_OWNERSHIPVIEW_H

#include "hybrid/core/Ownership.h"

#include <string>

namespace kst {

/// Who is taken to use an object and where that comes from, a sentence without
/// its full stop. Shares: the orders have a cost of sharing; without one, "" if
/// nothing is known. With a question where the source suggests one.
std::string ownershipWords(const Ownership &Of, bool Shares);

} // namespace kst

#endif
