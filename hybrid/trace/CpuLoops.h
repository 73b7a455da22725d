// SPDX-License-Identifier: GPL-2.0-or-later
//
// Visits to per-CPU objects that belong to a loop over CPUs, as a trace shows
// them: one CPU, in one function, goes from one CPU's object to another's.

#ifndef KST_HYBRID_TRACE_CPULOOPS_H
#define KST_HYBRID_TRACE_CPULOOPS_H

#include <cstdint>
#include <map>
#include <utility>

namespace kst {

/// Of objects of one struct. Memory: 32 bytes for each function on each CPU.
class CpuLoops {
public:
  /// Accesses of a CPU to the struct from one iteration to the next.
  static constexpr uint64_t Reach = 64;

  /// An access by the CPU, of a visit or not; before visit().
  void access(uint32_t Cpu) { ++Clock[Cpu]; }
  /// A visit begins, to the object of Owner, a CPU. How many visits to objects
  /// of other CPUs are now known to belong to a loop: itself, and the one
  /// before if that was the first of its loop. 0, 1 or 2.
  unsigned visit(uint32_t Cpu, uint32_t Function, uint32_t Owner);

private:
  struct Visit {
    uint64_t At = 0;
    uint32_t Owner = ~0u;
    bool InLoop = false;
  };
  std::map<uint32_t, uint64_t> Clock;
  std::map<std::pair<uint32_t, uint32_t>, Visit> Last;
};

} // namespace kst

#endif
