// SPDX-License-Identifier: GPL-2.0-or-later
//
// A trace: what happened in order, on all CPUs or threads that ran: accesses,
// lives of objects and pages, contexts. TraceTables.h has what the numbers of
// an event stand for.

#ifndef KST_HYBRID_TRACE_TRACE_H
#define KST_HYBRID_TRACE_TRACE_H

#include <cstdint>

namespace kst {

/// What happened. Members of TraceEvent that a kind does not name are 0, Site
/// is NoSite.
enum class EventKind : uint8_t {
  /// Address, SizeBytes, Access, Site; Index: bytes from the place that the
  /// site
  /// names to Address, where that is an array and the access to an element.
  Access = 0,
  /// An object came to life: Address, SizeBytes as the allocator gives them,
  /// Value: bytes that were asked for (0: not known), Info: row of the
  /// allocators, Site: who allocated it.
  Alloc = 1,
  /// It went: Address, Site; Info: row of the allocators, or NoAllocator.
  Free = 2,
  /// A pageful of slots of an allocator, live or not: Address, SizeBytes of
  /// all, Value: bytes from slot to slot, Info: row of the allocators. Value 0:
  /// it is no slab any more.
  Slab = 3,
  /// Pages behind one another: Address in the direct map, SizeBytes, Value:
  /// page
  /// frame number, Info: order | migratetype << 8. With PageFree the slab at
  /// that address is gone, too.
  PageAlloc = 4,
  PageFree = 5,
  /// A folio entered or left the page cache: Address, SizeBytes, Value: inode
  /// number, Index: in the file, in pages; Info: device as the kernel numbers
  /// it.
  CacheAdd = 6,
  CacheRemove = 7,
  /// The stream's context changed: Info: a ContextKind, Index: 1 in, 0 out;
  /// Value: task id, or number of the system call. Address: the task's object;
  /// of a call that comes in: the inode of its descriptor, 0 if it has none or
  /// that is not known.
  Context = 8,
  /// A pointer was stored: Address of the field, SizeBytes, Value, Site. Info
  /// 1:
  /// into the page struct of the page at Address, less the field's offset
  /// there.
  /// Index: the page in the direct map whose page struct it leads to, or 0.
  PointerStore = 9,
  /// What the page allocator has when the recording begins, right behind the
  /// first PageAlloc, or what changed. Info: a PageStateKind | zone << 8.
  PageState = 10,
  /// Pages left the list of a CPU for the free lists of their zone: members as
  /// of PageAlloc; the stream is that of the CPU that moved them.
  PageDrain = 11,
};
inline constexpr uint8_t EventKinds = 12;

/// Zones are numbered as they come. Free pages and those of a CPU's list come
/// in the order in which the kernel takes them; the lists of a zone behind it.
enum class PageStateKind : uint8_t {
  /// Value: first page frame, Index: frames up to its end; SizeBytes: bytes of
  /// a pageblock. The first of these says that all state before is void.
  Zone = 0,
  /// Value: pages that allocations leave free, Index: pages above which kswapd
  /// sleeps (the kernel's watermarks min and high).
  Marks = 1,
  /// Lists of each CPU. Value: pages that come at a time, Index: most pages
  /// that stay, when least | when most << 32.
  CpuLists = 2,
  /// A pageblock. Value: first page frame, Index: migratetype. Those that do
  /// not come are movable.
  Block = 3,
  /// Value: first page frame, Index: order | migratetype << 8.
  Free = 4,
  /// On a CPU's list. Value: first page frame,
  /// Index: order | migratetype << 8 | CPU << 16.
  CpuPage = 5,
  /// How a CPU's lists stand. Value: CPU, Index: most pages that stay at the
  /// time | pages freed in a row << 32 | doublings of what comes << 48.
  CpuCounts = 6,
};
inline constexpr uint8_t PageStateKinds = 7;

/// A task enters only: the one before it has left.
enum class ContextKind : uint8_t {
  Task = 0,
  Softirq = 1,
  Hardirq = 2,
  Nmi = 3,
  SystemCall = 4,
};
inline constexpr uint8_t ContextKinds = 5;

/// Bits of TraceEvent::Access; both: an instruction that reads and writes.
enum : uint8_t { AccessLoad = 1, AccessStore = 2 };

inline constexpr uint32_t NoAllocator = ~0u;
inline constexpr uint32_t NoTraceSite = ~0u;

struct TraceEvent {
  uint64_t Time = 0; ///< of a clock that all streams share; its own unit
  /// Of what was accessed: less Index and Site's offset, the object, if the
  /// site has a struct.
  uint64_t Address = 0;
  /// Events of this stream that were lost between the one before and this.
  uint64_t LostBefore = 0;
  uint32_t Site = 0;   ///< into the sites of the trace, or NoTraceSite
  uint32_t Stream = 0; ///< CPU or thread
  EventKind Kind = EventKind::Access;
  uint8_t Access = 0; ///< AccessLoad | AccessStore; 0: neither
  uint32_t SizeBytes = 0;
  uint32_t Info = 0;
  uint64_t Value = 0, Index = 0;
  bool operator==(const TraceEvent &) const = default;
};

inline constexpr uint32_t NoCpu = ~0u;

/// An object that is there all the time, or Number of them behind one another.
struct TraceObject {
  uint64_t Address = 0;
  uint32_t SizeBytes = 0; ///< of one
  uint32_t Number = 1;
  uint32_t Struct = 0;  ///< into the structs of the trace
  uint32_t Cpu = NoCpu; ///< whose per-CPU object it is
  bool operator==(const TraceObject &) const = default;
};

} // namespace kst

#endif
