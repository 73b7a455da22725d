// SPDX-License-Identifier: GPL-2.0-or-later
//
// One layout as text, in pahole's form and words, with the heat of every
// field and line beside it.

#ifndef KST_HYBRID_FIELDORDER_TEXTLAYOUT_H
#define KST_HYBRID_FIELDORDER_TEXTLAYOUT_H

#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/TextReport.h"

#include <string>

namespace kst {

/// The definition of the record as View places it, a line per field. Runs of
/// three and more fields without an access are folded into one line unless
/// Options.Full is set or nothing at all was accessed. With Before, fields
/// that Moved names are marked with '>' and their offset there.
std::string layoutText(const Report &R, const LayoutView &View,
                       const TextOptions &Options,
                       const LayoutView *Before = nullptr,
                       const std::vector<bool> &Moved = {});

} // namespace kst

#endif
