// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the proposal makes worse: the first thing that an expert looks for in a
// patch that claims a gain.

#pragma once

#include "hybrid/fieldorder/ReportView.h"

#include <string>
#include <vector>

namespace kst {

/// Phrases without a full stop, empty when nothing gets worse or nothing is
/// proposed: size in some configuration; the paths that pay most; cost in some
/// configuration, or where one thing that prices rest on is otherwise. A path
/// counts if one visit touches at least a quarter of a line more, and if it has
/// 1 % of all visits or pays a thousandth of all line touches; `Named` are
/// named, the rest is counted.
std::vector<std::string> worseOf(const ReportView &View, size_t Named = ~0ull);

/// For people: "worse: " and each phrase of worseOf(), or one sentence that
/// says what was looked at and does not get worse. Empty when nothing is
/// proposed.
std::vector<std::string> worseWords(const ReportView &View, size_t Named = 3);

} // namespace kst
