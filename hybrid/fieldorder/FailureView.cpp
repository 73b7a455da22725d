// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/FailureView.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace kst {

/// Behind "file.c:12: ", if it begins so.
static std::string_view withoutPlace(std::string_view Reason) {
  for (size_t At = Reason.find(": "); At != Reason.npos;
       At = Reason.find(": ", At + 1)) {
    size_t Digits = At;
    while (Digits && Reason[Digits - 1] >= '0' && Reason[Digits - 1] <= '9')
      --Digits;
    if (Digits != At && Digits && Reason[Digits - 1] == ':')
      return Reason.substr(At + 2);
  }
  return Reason;
}

std::string failureSummary(std::span<const FailedUnit> Failed,
                           uint64_t Selected) {
  std::string Text = std::to_string(Failed.size()) + " of " +
                     std::to_string(Selected) + " files could not be analysed";
  std::map<std::string_view, size_t> Times;
  for (const FailedUnit &Unit : Failed)
    ++Times[withoutPlace(Unit.Reason)];
  auto Most = std::ranges::max_element(
      Times, [](const auto &A, const auto &B) { return A.second < B.second; });
  if (Most == Times.end() || Most->second < 2 ||
      Most->second * 2 <= Failed.size())
    return Text;
  return Text +
         (Most->second == Failed.size()
              ? ": "
              : ", " + std::to_string(Most->second) + " of them: ") +
         std::string(Most->first);
}

} // namespace kst
