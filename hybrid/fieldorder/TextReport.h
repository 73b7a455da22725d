// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report for people at a terminal: the verdict, what changes and the
// groups that matter on the first screen, everything else after it.

#ifndef KST_HYBRID_FIELDORDER_TEXTREPORT_H
#define KST_HYBRID_FIELDORDER_TEXTREPORT_H

#include "hybrid/fieldorder/Report.h"

#include <string>

namespace kst {

struct TextOptions {
  bool Color = false;   ///< ANSI colours; see wantsColor()
  bool Full = false;    ///< every field, set, pair and failed unit
  unsigned Width = 100; ///< columns; less than 72 counts as 72
};

/// The report as text, newline at the end. Equal reports and options give
/// equal bytes; without Color it is the same text without escape sequences.
std::string toText(const Report &R, const TextOptions &Options = {});

} // namespace kst

#endif
