// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two sorted tables side by side.

#ifndef KST_HYBRID_PROFILE_SORTEDWALK_H
#define KST_HYBRID_PROFILE_SORTEDWALK_H

#include <compare>
#include <cstddef>

namespace kst {

/// Walks two sorted tables. Order(I, J) compares a row of the first with one of
/// the second; Take(First, I, Second, J) is told which row comes next, from one
/// or from both.
template <typename Compare, typename Visit>
void walkBoth(size_t FirstRows, size_t SecondRows, Compare Order, Visit Take) {
  size_t I = 0, J = 0;
  while (I < FirstRows || J < SecondRows) {
    auto C = I == FirstRows    ? std::strong_ordering::greater
             : J == SecondRows ? std::strong_ordering::less
                               : Order(I, J);
    Take(C <= 0, I, C >= 0, J);
    I += C <= 0;
    J += C >= 0;
  }
}

} // namespace kst

#endif
