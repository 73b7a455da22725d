// SPDX-License-Identifier: GPL-2.0-or-later
//
// What to record of which kernel: a text file that the tool writes and the
// plugin reads. A line is a word, then hexadecimal numbers or a name.

#ifndef KST_PASSES_RECORDER_SETTINGS_H
#define KST_PASSES_RECORDER_SETTINGS_H

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// A member of a struct of the kernel; SizeBytes 0: it has none of that name.
struct MemberPlace {
  uint32_t Offset = 0, SizeBytes = 0;
};

/// What one trace event of the kernel tells. `Values` by kind:
///   alloc: call site, address, bytes asked for, bytes given
///   free: call site, address
///   page-alloc, page-drain: frame, order, migratetype;
///   page-free: frame, order
///   cache-add, cache-remove: frame, inode, index, device, order
struct KernelEvent {
  std::string Kind;
  uint64_t Begin = 0, End = 0; ///< code of the function that writes its entry
  uint32_t FirstMember = 0;    ///< offset of the first one behind the header
  MemberPlace Type;            ///< of the entry: its number, as the kernel
  uint64_t TypeAddress = 0;    ///< says here that this event has it
  std::vector<MemberPlace> Values;
};

/// A member that holds a pointer, of the objects of a cache.
struct PointerMember {
  std::string Cache;
  uint64_t Offset = 0;
};

/// A system call with a descriptor among its arguments.
struct DescriptorCall {
  uint64_t Number = 0;
  uint64_t Argument = 0; ///< bytes from the top of the stack down
};

struct AddressRange {
  uint64_t Begin = 0, End = 0;
  bool has(uint64_t Address) const { return Address - Begin < End - Begin; }
};

/// Code that allocates, or the address that a call of an allocator returns to.
struct WantedSite {
  AddressRange Code;
  /// Of what it asks for.
  uint64_t LeastBytes = 0, MostBytes = ~uint64_t(0);
  bool WholeCache = false; ///< all of the cache that it allocates from
  bool has(uint64_t Caller, uint64_t Asked) const {
    return Code.has(Caller) && LeastBytes <= Asked && Asked <= MostBytes;
  }
};

/// Where the kernel keeps free pages. ZoneBytes 0: not known.
struct PageZones {
  uint64_t Nodes = 0, NodeNumber = 0; ///< array of pointers to nodes
  uint64_t OnlyNode = 0;              ///< or the only node
  uint64_t ZonesOffset = 0, ZoneNumber = 0, ZoneBytes = 0;
  uint64_t AreaBytes = 0, ListNumber = 0; ///< of each order
  uint64_t PageList = 0;                  ///< offset in a page struct
  uint64_t BlockOrder = 0;
  uint64_t Sections = 0, SectionBytes = 0, BlockBits = 0;
  MemberPlace Start, Span, Marks, Areas, CpuLists, Batch, HighLeast, HighMost;
  MemberPlace Lists, High, FreedInRow, Doublings, SectionUse;
};

struct RecorderSettings {
  // The guest's memory, and where the kernel sees it.
  uint64_t RamBytes = 0, LowBytes = 0; ///< below 4 GiB of it
  uint64_t ImageShift = 0; ///< virtual less physical address of the image
  uint64_t PageTable = 0;  ///< virtual
  uint64_t DirectMap = 0, PageStructs = 0, PageStructBytes = 64;
  /// Where page structs are not behind one another at PageStructs: the variable
  /// mem_section, log2 of the bytes of a section, bytes of its entry.
  uint64_t Sections = 0, SectionBits = 0, SectionBytes = 0;
  // CPUs.
  uint64_t CpuTable = 0, Cpus = 0, BootOffset = 0;
  uint64_t PreemptCount = 0, CurrentTask = 0,
           StackTop = 0; ///< per-CPU; 0: none
  MemberPlace TaskId;
  uint64_t CallNumber = 0; ///< bytes from the top of the stack down
  uint64_t CallEntry = 0, CallAssembly = 0, CallAssemblyEnd = 0;
  // From a task and the number of a descriptor to the inode.
  MemberPlace TaskFiles, FilesTable, TableSize, TableFiles, FileInode;
  std::vector<DescriptorCall> DescriptorCalls; ///< by number
  // Slabs: page type or flag, members.
  uint64_t SlabType = 0, SlabFlag = ~0ull;
  MemberPlace PageType, PageFlags, PageHead, SlabCache, CacheName, CacheBytes,
      CacheObjectBytes;
  // Lives.
  uint64_t Commit = 0; ///< function that ends an entry
  /// Code that allocates and frees many objects at once, without an event.
  AddressRange BulkAlloc, BulkFree;
  MemberPlace CacheCpu, CacheFreePointer; ///< members of a cache for these
  /// Code that allocates many pages at once, without an event.
  AddressRange PageBulk;
  PageZones Zones;
  /// An allocation that is told for a call from here is told again, for the
  /// caller of this code.
  std::vector<AddressRange> ToldAgain;
  std::vector<KernelEvent> Events;
  // What to record. Nothing wanted: all.
  AddressRange Window; ///< first and last instruction; 0: all of it
  uint64_t SampleTaken = 1, SampleOf = 1;
  uint64_t Contexts = ~0ull; ///< bits by ContextKind
  bool Filter = false;       ///< only what is wanted
  std::vector<AddressRange> Wanted, WantedPerCpu;
  std::vector<WantedSite> WantedSites;
  std::vector<std::string> WantedCaches;
  std::vector<PointerMember> Pointers; ///< whose stores tell their value
  /// So does each store of a pointer to a slab or a page struct, if it is to
  /// one of these.
  bool AllPointers = false;

  std::string text() const;
  /// False: a line is not understood; Wrong has it.
  bool read(const std::string &Text, std::string &Wrong);
};

} // namespace kst

#endif
