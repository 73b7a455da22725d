// SPDX-License-Identifier: GPL-2.0-or-later
//
// What recordings of a running kernel say of one event, whoever recorded it:
// trace-cmd (TraceDat.h) or perf (PerfData.h). KernelLives.h makes events of a
// trace out of them.

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kst {

/// One event. Members that a kind does not name are 0.
struct KernelRecord {
  enum Kind : uint8_t {
    Other, ///< nothing that a trace has
    /// Address, Bytes as the allocator gives them, Asked, Flags of the
    /// allocation, Caller: behind the call.
    Kmalloc,
    CacheAlloc,      ///< likewise; Name of the cache, if the event has it
    Kfree,           ///< Address, Caller
    CacheFree,       ///< likewise, and Name
    PageAlloc,       ///< Page frame, Order, MigrateType
    PageFree,        ///< Page frame, Order
    PageFreeBatched, ///< the same page has a PageFree, if that was recorded
    FileAdd,         ///< Page frame, Order, Device, Inode, Index
    FileRemove,      ///< likewise
    Switch,          ///< Number: task that runs now
    CallIn,          ///< Number of the system call
    CallOut,
    SoftirqIn,
    SoftirqOut,
    HardirqIn,
    HardirqOut,
    Sample, ///< Address, Bytes, Access, Caller: the instruction itself
  } What = Other;
  /// Bits of Inside, as ftrace has them (TRACE_FLAG_*).
  enum : uint8_t { InHardirq = 0x08, InSoftirq = 0x10, InNmi = 0x40 };
  static constexpr uint8_t NotKnown = 0xff;

  uint64_t Time = 0; ///< of the recorder's clock; see NanosecondClock
  uint32_t Stream = 0;
  uint8_t Inside = NotKnown; ///< what the CPU was in
  uint8_t Access = 0;        ///< AccessLoad | AccessStore
  bool HasTask = false;
  uint32_t Task = 0;       ///< its id
  uint64_t LostBefore = 0; ///< events of this stream
  uint64_t Caller = 0, Address = 0, Bytes = 0, Asked = 0, Flags = 0;
  std::string_view Name; ///< lives as long as the recording
  uint64_t Page = 0, Order = 0, MigrateType = 0;
  uint64_t Device = 0, Inode = 0, Index = 0, Number = 0;
};

/// A function as the recording names it.
struct RecordedFunction {
  std::string Name; ///< empty: not known
  uint64_t Address = 0;
};

/// What a walk did not hand out.
struct KernelRecordingNotes {
  std::string
      Damage; ///< what of the file could not be read; empty: it is whole
  uint64_t NotUnderstood = 0; ///< records that name no event, or do not fit it
  uint64_t NoAddress = 0;     ///< samples that say no data address
};

/// What the text "clock" of a recording begins with if its times are such.
inline constexpr char NanosecondClock[] = "nanoseconds";

/// A recording, which can be walked more than once.
class KernelRecording {
public:
  using Visitor = std::function<void(const KernelRecord &)>;
  virtual ~KernelRecording() = default;

  /// Every event, those of all CPUs by time as far as the recording's own order
  /// allows. A Failure only where nothing can be read; a file that is damaged
  /// or ends early gives what is whole, and notes() say so.
  virtual std::optional<Failure> walk(const Visitor &Each) = 0;
  /// After a walk.
  virtual const KernelRecordingNotes &notes() const = 0;
  /// Texts about the run, by name.
  virtual std::map<std::string, std::string> text() const = 0;
  virtual RecordedFunction functionAt(uint64_t) const { return {}; }
  /// The address that a symbol of the kernel had in the run.
  virtual std::optional<std::pair<std::string, uint64_t>> anchor() const {
    return std::nullopt;
  }
  virtual uint32_t pageBytes() const { return 4096; }
};

} // namespace kst
