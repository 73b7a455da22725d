// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names to propose instead of one that is not there.

#pragma once

#include "hybrid/core/EditDistance.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// Of a range of names those that differ from a misspelt one in a third of its
/// length at most: the three closest, best first.
template <typename Names>
std::vector<std::string> namesLike(const std::string &Name,
                                   const Names &Known) {
  const unsigned Limit = std::max<size_t>(1, Name.size() / 3);
  std::vector<std::pair<unsigned, std::string>> Near;
  for (const std::string &One : Known)
    if (unsigned Distance = editDistance(Name, One, Limit); Distance <= Limit)
      Near.push_back({Distance, One});
  std::ranges::sort(Near);
  std::vector<std::string> Best;
  for (size_t I = 0; I != std::min<size_t>(3, Near.size()); ++I)
    Best.push_back(std::move(Near[I].second));
  return Best;
}

/// "; did you mean 'a', 'b'?", or "" without names.
inline std::string didYouMean(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "; did you mean '" : ", '") + Name + "'";
  return Text + (Text.empty() ? "" : "?");
}

} // namespace kst
