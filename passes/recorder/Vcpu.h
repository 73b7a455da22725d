// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the recorder knows of one CPU of the guest. Only the thread that runs it
// touches it.

#ifndef KST_PASSES_RECORDER_VCPU_H
#define KST_PASSES_RECORDER_VCPU_H

#include "hybrid/trace/TraceBlock.h"
#include "passes/recorder/Settings.h"

#include <atomic>
#include <cstdint>

namespace kst {

/// Contexts that interrupt one another, outermost first.
inline constexpr unsigned ContextLevels = 4;

/// A function of the kernel's tracing that runs, from its first instruction
/// until it returns. What it does is no work of the kernel.
struct TracingScope {
  const KernelEvent *Event = nullptr; ///< null: none runs
  uint64_t ReturnSlot = 0; ///< where its return address is; 0: not known
  uint64_t Lowest = 0;     ///< address that it stored to, off the stack
  bool Stored = false;     ///< it has stored something
};

/// A call of the function that allocates many objects at once.
struct BulkCall {
  uint64_t ReturnSlot = 0, Caller = 0;
};

struct Vcpu {
  explicit Vcpu(uint32_t Cpu) : Cpu(Cpu), Out(Cpu) {}

  /// A ContextKind: where its accesses come from.
  unsigned kind() const {
    return Level || !InCall ? Level
                            : static_cast<unsigned>(ContextKind::SystemCall);
  }

  uint32_t Cpu;
  TraceBlockEncoder Out;
  int File = -1;
  /// Offset of its per-CPU area, which another CPU sets; 0: not known yet.
  std::atomic<uint64_t> PerCpu{0};
  uint64_t LastStore = 0;
  uint64_t Task = 0, TaskId = 0;
  uint32_t Interrupts = 0; ///< its bits of the preempt count
  unsigned Level = 0;      ///< innermost context: a ContextKind
  bool InCall = false;
  bool Announced = false; ///< the trace has the context
  bool Taken = true;      ///< by sampling
  TracingScope Scopes[ContextLevels];
  BulkCall Bulk[ContextLevels];
  uint64_t Seen = 0;      ///< accesses of the kernel
  uint64_t Tracing = 0;   ///< by its tracing, in the window: left out
  uint64_t LostLives = 0; ///< entries that were begun and not seen to end
  uint64_t Lost = 0;      ///< could not be written
};

} // namespace kst

#endif
