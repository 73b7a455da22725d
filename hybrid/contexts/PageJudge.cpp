// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/PageJudge.h"

#include <algorithm>

namespace kst {

void PageJudge::pages(const OwnerGuess &Of, uint64_t File, uint64_t Number) {
  All += Number;
  auto Add = [&](OwnerRule Rule, uint32_t Context) {
    if (Context)
      Said[size_t(Rule)][{Context, File}] += Number;
  };
  Add(OwnerRule::Pointer, Of.Pointer);
  Add(OwnerRule::Call, Of.Call);
  Add(OwnerRule::Task, Of.Task);
  Add(OwnerRule::None, Of.best());
}

PageJudge::Verdict
PageJudge::judge(const std::function<uint32_t(uint32_t)> &Root) const {
  Verdict Out;
  std::map<uint32_t, std::map<uint64_t, uint64_t>> Files; ///< pages
  for (const auto &[Key, Number] : Said[size_t(OwnerRule::Pointer)])
    Files[Root(Key.first)][Key.second] += Number;
  for (const auto &[Context, Of] : Files) {
    const auto Most =
        std::max_element(Of.begin(), Of.end(),
                         [](auto &A, auto &B) { return A.second < B.second; });
    Out.FileOf[Context] = Most->first;
    Out.MixedContexts += Of.size() > 1;
  }
  for (size_t R = 0; R < OwnerRules; ++R) {
    PageTruth &Truth = Out.Truth[R];
    Truth.Pages = All;
    for (const auto &[Key, Number] : Said[R]) {
      Truth.Said += Number;
      const auto At = Out.FileOf.find(Root(Key.first));
      if (At != Out.FileOf.end() && At->second == Key.second)
        Truth.Right += Number;
    }
  }
  return Out;
}

} // namespace kst
