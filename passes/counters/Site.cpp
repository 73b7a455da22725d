// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Site.h"

using namespace kst::counters;

uint32_t SiteTable::function(const std::string &Name, const std::string &File,
                             uint32_t Line) {
  auto [It, New] = FunctionNumbers.try_emplace(Name, Functions.size());
  if (New)
    Functions.push_back({Name, File, Line});
  return It->second;
}

uint32_t SiteTable::site(const Site &S) {
  auto [It, New] = SiteNumbers.try_emplace(S, Sites.size());
  if (New)
    Sites.push_back(S);
  return It->second;
}
