// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which threads meet on which cache lines, and what that costs them: one model
// for accesses that a trace has and for those that the source tells.
//
// Private caches without an end. A thread is taken to access a line evenly from
// its first to its last access to it, whatever slices a scheduler or an
// emulator gave it: with n accesses of a thread to the line and W writes of
// others in the time that they share, each access finds it lost with chance
// W / (n + W), as a shuffle of both has it. It is lost truly if one of those
// writes was to bytes of the access: Wt / (n + Wt); else falsely, as far as the
// thread does not use the other bytes as often itself: what it uses together it
// would lose on lines of their own, too.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace kst {

/// What one thread does to some bytes.
struct MeetingSlot {
  uint64_t Address = 0; ///< as the model lays memory out
  uint32_t Bytes = 1;
  uint32_t Thread = 0;
  double Reads = 0, Writes = 0;
  double First = 0, Last = 1; ///< time of its first and last access
  uint32_t Place = 0;         ///< what they are: a number of the caller's
  uint64_t Object = 0;        ///< which of such
};

struct MeetingPair {
  uint32_t Victim = 0, Writer = 0; ///< places
  bool SameObject = false;
  auto operator<=>(const MeetingPair &) const = default;
};

struct Meetings {
  std::map<MeetingPair, double> False; ///< accesses that find the line lost
  std::map<uint32_t, double> True;     ///< by place
  double Accesses = 0;
};

/// LineBytes: a power of two. Slots are as they come; none is joined.
Meetings meetings(std::vector<MeetingSlot> Slots, uint32_t LineBytes);

} // namespace kst
