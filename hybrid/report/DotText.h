// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text in the language of graphviz.

#pragma once

#include <string>

namespace kst {

/// A double-quoted string of DOT: quotes and backslashes are escaped.
std::string quotedDot(const std::string &Text);

} // namespace kst
