// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/CrowdedSets.h"

#include <algorithm>
#include <numeric>

namespace kst {

void CrowdedSets::access(uint64_t Set, uint64_t Line, uint32_t Type) {
  const auto At = Used.lower_bound({Set, Line, 0});
  const bool New =
      At == Used.end() || At->first.Set != Set || At->first.Line != Line;
  if (New && LinesInWindow++ == WindowLines) {
    endWindow();
    LinesInWindow = 1;
  }
  ++Used[{Set, Line, Type}];
}

void CrowdedSets::judge(Window::const_iterator Begin,
                        Window::const_iterator End) {
  const uint64_t Set = Begin->first.Set;
  std::vector<uint64_t> OfLine; // accesses
  uint64_t Latest = ~uint64_t(0);
  std::map<uint32_t, std::vector<uint64_t>> OfType; // by line
  for (auto At = Begin; At != End; ++At) {
    if (At->first.Line != Latest)
      OfLine.push_back(0);
    OfLine.back() += At->second;
    Latest = At->first.Line;
    OfType[At->first.Type].push_back(At->second);
  }
  if (OfLine.size() <= Ways)
    return;
  Excess[Set] += OfLine.size() - Ways;
  std::sort(OfLine.rbegin(), OfLine.rend());
  Heat[Set] +=
      std::accumulate(OfLine.begin() + Ways, OfLine.end(), uint64_t(0));
  std::map<uint32_t, uint64_t> Accesses;
  for (auto &[Type, Lines] : OfType) {
    Accesses[Type] = std::accumulate(Lines.begin(), Lines.end(), uint64_t(0));
    TypesOf[Set][Type] += Accesses[Type];
    std::sort(Lines.rbegin(), Lines.rend());
    if (Lines.size() > 1)
      Meetings[{Type, Type}] += Lines[1];
  }
  for (auto A = Accesses.begin(); A != Accesses.end(); ++A)
    for (auto B = std::next(A); B != Accesses.end(); ++B)
      Meetings[{A->first, B->first}] += std::min(A->second, B->second);
}

void CrowdedSets::endWindow() {
  LinesInWindow = 0;
  ++Windows;
  for (auto At = Used.begin(); At != Used.end();) {
    auto End = At;
    while (End != Used.end() && End->first.Set == At->first.Set)
      ++End;
    judge(At, End);
    At = End;
  }
  Used.clear();
}

} // namespace kst
