// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names in a text, as C writes them.

#pragma once

#include <string_view>

namespace kst {

inline bool isWordChar(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') || C == '_';
}

/// Calls Take with each longest run of letters, digits and underscores.
template <typename F> void forEachWord(std::string_view Text, F &&Take) {
  for (size_t At = 0; At < Text.size();) {
    size_t End = At;
    while (End < Text.size() && isWordChar(Text[End]))
      ++End;
    if (End != At)
      Take(Text.substr(At, End - At));
    At = End + (End == At);
  }
}

} // namespace kst
