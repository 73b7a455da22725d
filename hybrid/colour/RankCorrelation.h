// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether what is much in one list is much in another one.

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

/// Spearman's, from -1 to 1; ties have the rank in their middle. 0 where one of
/// them has equal numbers only, or less than two. Both have the same length.
double rankCorrelation(const std::vector<uint64_t> &A,
                       const std::vector<uint64_t> &B);

} // namespace kst
