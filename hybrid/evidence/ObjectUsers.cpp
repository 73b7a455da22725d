// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ObjectUsers.h"

#include <algorithm>

namespace kst {

namespace {
constexpr size_t MostObjects = 1 << 16;
} // namespace

void ObjectUsers::add(uint64_t Object, uint32_t Cpu) {
  auto At = Objects.find(Object);
  if (At == Objects.end()) {
    if (Objects.size() >= MostObjects)
      return;
    At = Objects.try_emplace(Object).first;
  }
  for (Use &Of : At->second)
    if (Of.Cpu == Cpu) {
      ++Of.Count;
      return;
    }
  At->second.push_back({Cpu, 1});
}

UserCounts ObjectUsers::counts() const {
  UserCounts Made;
  for (const auto &[Object, Uses] : Objects) {
    uint64_t All = 0, Most = 0;
    for (const Use &Of : Uses) {
      All += Of.Count;
      Most = std::max(Most, Of.Count);
    }
    Made.ByOwner += Most;
    Made.ByOthers += All - Most;
  }
  return Made;
}

std::optional<UserCounts> userCounts(const Profile &From,
                                     const std::vector<uint32_t> &Structs) {
  std::optional<UserCounts> Found;
  for (const ThreadUse &Of : From.Threads)
    if (std::ranges::find(Structs, Of.Struct) != Structs.end()) {
      if (!Found)
        Found.emplace();
      Found->ByOwner += Of.ByOwner;
      Found->ByOthers += Of.ByOthers;
    }
  return Found;
}

Ownership measuredOwnership(std::span<const MeasuredUsers> All,
                            double Assumed) {
  Ownership Made;
  double Others = 0, Sum = 0;
  bool Traces = true;
  std::string Names;
  for (const MeasuredUsers &Of : All) {
    if (!Of.Accesses)
      continue;
    if (!Of.Counts)
      return {};
    Others += Of.Share * Of.Counts->othersShare();
    Sum += Of.Share;
    Traces &= Of.Trace;
    Names += (Names.empty() ? "" : ", ") + Of.Name;
  }
  if (!(Sum > 0))
    return {};
  Others /= Sum;
  if (!Traces && Others >= Assumed)
    return {};
  Made.Exclusive = Others <= 0;
  Made.OthersShare = Others;
  Made.Source = "seen in " + Names;
  return Made;
}

} // namespace kst
