// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who used the objects of a record, by what was measured: a trace shows it for
// each object, counters for all of them together.

#pragma once

#include "hybrid/core/Ownership.h"
#include "hybrid/profile/Profile.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kst {

/// Accesses of objects by the CPU or thread that has most of them, its owner,
/// and by all others.
struct UserCounts {
  uint64_t ByOwner = 0, ByOthers = 0;
  double othersShare() const {
    uint64_t All = ByOwner + ByOthers;
    return All ? double(ByOthers) / double(All) : 0;
  }
};

/// Streaming; memory is bounded: objects beyond the first 2^16 are left out.
class ObjectUsers {
public:
  void add(uint64_t Object, uint32_t Cpu);
  UserCounts counts() const;

private:
  struct Use {
    uint32_t Cpu;
    uint64_t Count;
  };
  std::unordered_map<uint64_t, std::vector<Use>> Objects;
};

/// What one measurement says about who used the record.
struct MeasuredUsers {
  std::string Name; ///< of the profile, as on the command line
  double Share = 1; ///< of all profiles
  bool Trace = false;
  uint64_t Accesses = 0;            ///< of the record
  std::optional<UserCounts> Counts; ///< nothing: it does not tell
};

/// Of the rows of Profile::Threads that are about these structs.
std::optional<UserCounts> userCounts(const Profile &From,
                                     const std::vector<uint32_t> &Structs);

/// All measurements together; those without accesses do not count. Exclusive if
/// nobody but owners was seen. Counters cannot tell objects of several threads
/// apart, so what they say counts only where it is less than Assumed, the share
/// that the model assumes without them. Not known if one does not tell.
Ownership measuredOwnership(std::span<const MeasuredUsers> All, double Assumed);

} // namespace kst
