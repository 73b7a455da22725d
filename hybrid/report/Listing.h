// SPDX-License-Identifier: GPL-2.0-or-later
//
// A strip as source text: declarations in columns, what is said of them beside.

#pragma once

#include "hybrid/report/TextStyle.h"

namespace kst {

/// The rows of Of in at most Width columns where declarations can be cut to
/// that; from 88 columns on with a bar for each share.
std::vector<MarkedLine> listing(const Strip &Of, size_t Width, bool Full);

} // namespace kst
