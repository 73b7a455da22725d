// SPDX-License-Identifier: GPL-2.0-or-later
//
// How far a name is from one that was meant: for "did you mean".

#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace kst {

/// Levenshtein's distance; any value above Limit means more than Limit.
inline unsigned editDistance(const std::string &A, const std::string &B,
                             unsigned Limit) {
  std::vector<unsigned> Row(B.size() + 1);
  for (unsigned J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (unsigned I = 1; I <= A.size(); ++I) {
    unsigned Diagonal = Row[0], Best = Row[0] = I;
    for (unsigned J = 1; J <= B.size(); ++J) {
      unsigned Up = Row[J];
      Row[J] = std::min(
          {Up + 1, Row[J - 1] + 1, Diagonal + (A[I - 1] == B[J - 1] ? 0 : 1)});
      Diagonal = Up;
      Best = std::min(Best, Row[J]);
    }
    if (Best > Limit)
      return Limit + 1;
  }
  return Row[B.size()];
}

} // namespace kst
