// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceLimits.h"

namespace kst {

std::vector<std::string> traceLimits(const Profile &About) {
  auto Text = [&](const char *Key) {
    const auto At = About.Text.find(Key);
    return At == About.Text.end() ? std::string() : At->second;
  };
  std::vector<std::string> Out;
  const std::string Types = Text(OnlyTypes), Addresses = Text(OnlyAddresses),
                    Contexts = Text(OnlyContexts),
                    Sample = Text(SampledIntervals);
  if (!Types.empty() || !Addresses.empty())
    Out.push_back(
        "only accesses to " + (Types.empty() ? "" : "objects of " + Types) +
        (Types.empty() || Addresses.empty() ? "" : " and to ") + Addresses +
        " were recorded: what others push out of a cache is not "
        "seen");
  if (!Contexts.empty())
    Out.push_back("only accesses by " + Contexts +
                  " were recorded: what others do to a cache is not seen");
  if (!Sample.empty())
    Out.push_back("only accesses in " + Sample +
                  " of the intervals were recorded: each begins with caches "
                  "as the one before it left them");
  return Out;
}

} // namespace kst
