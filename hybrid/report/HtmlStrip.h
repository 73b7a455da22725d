// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pictures of the HTML form: cache lines as strips of bytes, and plots.

#pragma once

#include "hybrid/report/Document.h"

namespace kst {

/// Text with the characters that mean something to HTML replaced.
std::string escapedHtml(const std::string &Text);

/// The class of the style sheet, "h0" (none) to "h5", for a share of all
/// accesses.
std::string heatClass(double Share);

/// One row of boxes for each cache line, and the listing below. Two and more
/// lines in a row without an access are folded, unless nothing was accessed.
std::string stripHtml(const Strip &S);
std::string legendHtml(const StripLegend &Of);

/// Y over X as a line with a dot for each row, rows by X. BarColumn has the
/// words for Y, the first one those for X. The scale is from least to most Y.
std::string plotHtml(const Table &T);

/// One line for each column behind the first, from 0 to the most, with a
/// legend.
std::string linesHtml(const Table &T);

/// Boxes from left to right, as high as their share of the first one.
std::string treeHtml(const Table &T);

} // namespace kst
