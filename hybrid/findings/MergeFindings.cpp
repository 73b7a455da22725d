// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/MergeFindings.h"

#include <algorithm>
#include <map>

namespace kst {

void mergeFindings(FindingList &Report) {
  std::map<std::string, Finding> ByKey;
  for (Finding &One : Report.Findings) {
    auto [It, New] = ByKey.try_emplace(One.key(), One);
    if (New)
      continue;
    Finding &Had = It->second;
    std::vector<std::string> Configs = Had.Config;
    for (const std::string &Name : One.Config)
      if (std::ranges::find(Configs, Name) == Configs.end())
        Configs.push_back(Name);
    if (std::pair(One.How, One.Share) > std::pair(Had.How, Had.Share))
      Had = One;
    Had.Config = std::move(Configs);
  }
  Report.Findings.clear();
  for (auto &[Key, One] : ByKey)
    Report.Findings.push_back(std::move(One));
  std::ranges::stable_sort(
      Report.Findings, [](const Finding &A, const Finding &B) {
        return std::pair(A.How, A.Share) > std::pair(B.How, B.Share);
      });
  if (Report.Findings.size() > MaxFindings) {
    Report.Omitted =
        static_cast<uint32_t>(Report.Findings.size() - MaxFindings);
    Report.Findings.resize(MaxFindings);
  }
}

} // namespace kst
