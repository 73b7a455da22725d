// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/TraceLimits.h"

#include <cstdlib>

namespace kst {
namespace {

struct Limit {
  std::string Said;
  const char *InCaches;
};

std::vector<Limit> limitsOf(const Profile &About) {
  auto Text = [&](const char *Key) {
    const auto At = About.Text.find(Key);
    return At == About.Text.end() ? std::string() : At->second;
  };
  std::vector<Limit> Out;
  const std::string Types = Text(OnlyTypes), Addresses = Text(OnlyAddresses),
                    Contexts = Text(OnlyContexts),
                    Sample = Text(SampledIntervals);
  if (!Types.empty() || !Addresses.empty())
    Out.push_back({"only accesses to " +
                       (Types.empty() ? "" : "objects of " + Types) +
                       (Types.empty() || Addresses.empty() ? "" : " and to ") +
                       Addresses + " were recorded",
                   "what others push out of a cache is not seen"});
  if (!Contexts.empty())
    Out.push_back({"only accesses by " + Contexts + " were recorded",
                   "what others do to a cache is not seen"});
  if (!Sample.empty())
    Out.push_back(
        {"only accesses in " + Sample + " of the intervals were recorded",
         "each begins with caches as the one before it left them"});
  return Out;
}

} // namespace

std::vector<std::string> recordedPart(const Profile &About) {
  std::vector<std::string> Out;
  for (Limit &Of : limitsOf(About))
    Out.push_back(std::move(Of.Said));
  return Out;
}

std::vector<std::string> traceLimits(const Profile &About) {
  std::vector<std::string> Out;
  for (const Limit &Of : limitsOf(About))
    Out.push_back(Of.Said + ": " + Of.InCaches);
  const auto Threads = About.Text.find(RanThreads),
             Together = About.Text.find(RanTogether);
  if (Threads != About.Text.end() && Together != About.Text.end() &&
      std::atoll(Threads->second.c_str()) > 1 &&
      !(std::atof(Together->second.c_str()) > 0))
    Out.push_back(
        "no two of the " + Threads->second +
        " threads ran at the same time: a line that one takes from "
        "another is one of a hand-over, and what they would do to one "
        "another is not seen");
  return Out;
}

} // namespace kst
