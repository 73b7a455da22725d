// SPDX-License-Identifier: GPL-2.0-or-later
//
// One layout as HTML: a strip of bytes per cache line, fields as blocks in
// the colour of their heat.

#ifndef KST_HYBRID_FIELDORDER_HTMLLAYOUT_H
#define KST_HYBRID_FIELDORDER_HTMLLAYOUT_H

#include "hybrid/fieldorder/LayoutView.h"

#include <string>
#include <vector>

namespace kst {

/// The class of the style sheet, "h0" (none) to "h5", for a share of all
/// accesses.
std::string heatClass(double Share);

/// What the colours and marks of layoutHtml() mean.
std::string layoutKeyHtml(bool WithMoved);

/// The strips of View. Two and more lines in a row without an access are
/// folded, unless nothing was accessed at all. Fields with Moved set are
/// marked; an empty Moved marks none.
std::string layoutHtml(const Report &R, const std::string &Title,
                       const LayoutView &View,
                       const std::vector<bool> &Moved = {});

} // namespace kst

#endif
