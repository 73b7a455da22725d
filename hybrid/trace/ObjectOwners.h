// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose an object is: the CPU that mostly uses it at the time.

#ifndef KST_HYBRID_TRACE_OBJECTOWNERS_H
#define KST_HYBRID_TRACE_OBJECTOWNERS_H

#include <cstdint>
#include <unordered_map>

namespace kst {

/// The owners of objects, while they are used. Memory: 24 bytes for each object
/// that was used.
class ObjectOwners {
public:
  struct Use {
    bool Begins = false;  ///< a stretch of accesses by one CPU and function
    bool Arrives = false; ///< the first access after one by another CPU
    bool ByOther = false; ///< than the owner
    /// Arrives, and the other CPU that came before it was a different one.
    bool Changes = false;
  };
  /// Of a per-CPU object the CPU is the owner; NoCpu: a majority vote, which
  /// forgets what is more than Memory visits ago.
  Use use(uint64_t Object, uint64_t Number, uint32_t Cpu, uint32_t Function,
          uint32_t PerCpu);

private:
  static constexpr uint8_t Memory = 16;
  static constexpr uint16_t NoOne = 0xffff;
  struct Votes {
    uint64_t Number = 0;
    uint32_t Function = ~0u;
    uint16_t Owner = 0, Last = NoOne, LastOther = NoOne;
    uint8_t For = 0;
  };
  std::unordered_map<uint64_t, Votes> Of;
};

} // namespace kst

#endif
