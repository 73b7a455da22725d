// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/ThreadSpans.h"

#include <charconv>

#include <algorithm>
#include <utility>
#include <vector>

namespace kst {

void ThreadSpans::add(uint32_t Thread, uint64_t First, uint64_t Last) {
  auto [At, New] = Of.try_emplace(Thread, Span{First, Last});
  if (New)
    return;
  At->second.First = std::min(At->second.First, First);
  At->second.Last = std::max(At->second.Last, Last);
}

double ThreadSpans::overlap() const {
  std::vector<std::pair<uint64_t, int>> Steps;
  for (const auto &[Thread, S] : Of) {
    Steps.push_back({S.First, 1});
    Steps.push_back({S.Last, -1});
  }
  std::ranges::sort(Steps);
  uint64_t Busy = 0, Several = 0, Since = 0;
  int Running = 0;
  for (const auto &[Time, Step] : Steps) {
    Busy += Running >= 1 ? Time - Since : 0;
    Several += Running >= 2 ? Time - Since : 0;
    Running += Step;
    Since = Time;
  }
  return Busy ? double(Several) / double(Busy) : 0;
}

std::map<uint32_t, uint32_t> ThreadSpans::onCpus(uint32_t Most) const {
  std::vector<std::pair<uint64_t, uint32_t>> Begins;
  for (const auto &[Thread, S] : Of)
    Begins.push_back({S.First, Thread});
  std::ranges::sort(Begins);
  std::map<uint32_t, uint32_t> Cpus;
  std::vector<uint64_t> FreeFrom; ///< by CPU
  for (const auto &[First, Thread] : Begins) {
    size_t Cpu = FreeFrom.size();
    if (Cpu >= Most)
      if (const auto Longest = std::ranges::min_element(FreeFrom);
          *Longest < First)
        Cpu = size_t(Longest - FreeFrom.begin());
    if (Cpu == FreeFrom.size())
      FreeFrom.push_back(0);
    FreeFrom[Cpu] = Of.at(Thread).Last;
    Cpus[Thread] = static_cast<uint32_t>(Cpu);
  }
  return Cpus;
}

std::string StartsAndJoins::text() const {
  constexpr unsigned Most = 4096;
  std::string Out;
  bool Joined = false;
  unsigned Number = 0;
  for (const auto &[Time, Start] : All) {
    if (Start && Joined && Number++ < Most)
      Out += (Out.empty() ? "" : " ") + std::to_string(Time);
    Joined = !Start;
  }
  return Out;
}

std::vector<uint64_t> StartsAndJoins::times(const std::string &Text) {
  std::vector<uint64_t> Out;
  const char *At = Text.data(), *End = At + Text.size();
  for (uint64_t Time; At != End;) {
    const auto Read = std::from_chars(At, End, Time);
    if (Read.ec != std::errc())
      break;
    Out.push_back(Time);
    At = Read.ptr + (Read.ptr != End);
  }
  return Out;
}

} // namespace kst
