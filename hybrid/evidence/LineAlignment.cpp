// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LineAlignment.h"

#include <algorithm>
#include <vector>

namespace kst {
namespace {

constexpr size_t MostPairs = 1'000'000;
// In quarters of an access. The same text in the same line counts most: two
// lines that look alike are not the same when a third one fits better.
constexpr uint32_t SameField = 4, SameColumn = 2, SameLine = 1;

using Line = std::span<const LineAccess>;

std::vector<Line> linesOf(std::span<const LineAccess> All) {
  std::vector<Line> Lines;
  for (size_t Begin = 0, End; Begin < All.size(); Begin = End) {
    End = Begin + 1;
    while (End < All.size() && All[End].Line == All[Begin].Line)
      ++End;
    Lines.push_back(All.subspan(Begin, End - Begin));
  }
  return Lines;
}

/// What speaks for two lines being one; 0: nothing.
uint32_t likeness(Line Old, Line New) {
  uint32_t Points = 0;
  std::vector<bool> Taken(New.size());
  for (const LineAccess &A : Old) {
    if (A.Field == None)
      continue;
    size_t Best = New.size();
    for (size_t I = 0; I != New.size(); ++I)
      if (!Taken[I] && New[I].Field == A.Field && New[I].Class == A.Class &&
          (Best == New.size() || New[I].Column == A.Column))
        Best = I;
    if (Best == New.size())
      continue;
    Taken[Best] = true;
    Points +=
        SameField + (A.Column && New[Best].Column == A.Column ? SameColumn : 0);
  }
  return Points ? Points + (Old.front().Line == New.front().Line ? SameLine : 0)
                : 0;
}

} // namespace

LineMap alignLines(std::span<const LineAccess> Old,
                   std::span<const LineAccess> New) {
  const std::vector<Line> A = linesOf(Old), B = linesOf(New);
  LineMap Found;
  if (A.empty() || B.empty() || A.size() > MostPairs / B.size())
    return Found;
  // The longest common subsequence, weighted.
  const size_t Width = B.size() + 1;
  std::vector<uint32_t> Like(A.size() * B.size());
  std::vector<uint64_t> Best((A.size() + 1) * Width);
  for (size_t I = A.size(); I-- > 0;)
    for (size_t J = B.size(); J-- > 0;) {
      const uint32_t Points = Like[I * B.size() + J] = likeness(A[I], B[J]);
      Best[I * Width + J] =
          std::max({Best[(I + 1) * Width + J], Best[I * Width + J + 1],
                    Points ? Best[(I + 1) * Width + J + 1] + Points : 0});
    }
  for (size_t I = 0, J = 0; I != A.size() && J != B.size();) {
    const uint32_t Points = Like[I * B.size() + J];
    if (Points && Best[I * Width + J] == Best[(I + 1) * Width + J + 1] + Points)
      Found[A[I++].front().Line] = B[J++].front().Line;
    else if (Best[I * Width + J] == Best[(I + 1) * Width + J])
      ++I;
    else
      ++J;
  }
  return Found;
}

int32_t movedLine(const LineMap &Lines, int32_t Line) {
  auto Next = Lines.upper_bound(Line);
  if (Next != Lines.begin())
    --Next;
  return Next == Lines.end() ? Line : Line + (Next->second - Next->first);
}

} // namespace kst
