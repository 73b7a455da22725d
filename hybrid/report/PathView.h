// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many cache lines the paths through the code touch, before and after:
// what a maintainer asks of a patch that moves fields.

#ifndef KST_HYBRID_REPORT_PATHVIEW_H
#define KST_HYBRID_REPORT_PATHVIEW_H

#include "hybrid/model/Report.h"

#include <vector>

namespace kst {

/// The visits that one function owns.
struct PathView {
  Site Where;        ///< of its strongest set
  double Weight = 0; ///< sum over its sets
  double Share = 0;  ///< of the weight of all sets
  /// Expected lines that one of its visits touches (expectedLines()), the mean
  /// over its sets by weight. Remote visits count no more than others.
  double Before = 0, After = 0;
  /// Line touches saved: Weight * (Before - After). Negative: a path that pays.
  double saved() const { return Weight * (Before - After); }
};

/// One entry per function and file, the most saved first, so that paths that
/// pay are at the end; ties by place in the evidence. First configuration.
std::vector<PathView> pathsOf(const Report &R);

/// The paths to show when there is room for Count: those that save most and,
/// on a quarter of the rows, those that pay most, without changes of less than
/// a thousandth of all line touches of the current layout. Keeps the order.
std::vector<PathView> notablePaths(const std::vector<PathView> &Paths,
                                   size_t Count);

} // namespace kst

#endif
