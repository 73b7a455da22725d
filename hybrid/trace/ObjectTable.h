// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which object an address is in, while objects come and go.

#ifndef KST_HYBRID_TRACE_OBJECTTABLE_H
#define KST_HYBRID_TRACE_OBJECTTABLE_H

#include "hybrid/trace/TraceTables.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kst {

/// What an address is in. An object is its address and its number: a slot that
/// is used again has another number.
struct TracePlace {
  enum Kind : uint8_t {
    Nothing,   ///< that the trace knows
    Static,    ///< there all the time
    Allocated, ///< that the trace saw allocated, or whose site names the struct
    Slot,      ///< of a slab: an object that was there before the trace
    FreeSlot,  ///< of a slab: no object, as far as the trace tells
    Page,      ///< allocated, no object in it is known
    CachedPage, ///< of a file
  } What = Nothing;
  uint32_t Struct = NoStruct;
  uint32_t OffsetBytes = 0; ///< of the address in it
  uint32_t SizeBytes = 0;   ///< of the object as it is allocated; 0: not known
  uint32_t Cpu = NoCpu;     ///< its owner, if it is a per-CPU object
  uint32_t Allocator = NoAllocator;
  uint64_t Object = 0; ///< its address
  /// Of its allocation, from 1 in the order of the trace; 0: none was seen.
  uint64_t Number = 0;
};

/// Follows the events of a trace. Memory grows with what lives at one time; a
/// look-up takes O(1) for what was allocated, O(log n) for static objects.
///
/// A slot of a slab whose allocation was not seen is an object from the first
/// access of code outside of the allocator on, until it is freed. A slot of a
/// slab that came when the trace told of allocations is free.
class ObjectTable {
public:
  /// Tables outlive this.
  explicit ObjectTable(const TraceTables &Tables);
  ObjectTable(const ObjectTable &) = delete;

  /// Every event, in the order of the reader. An object that was not freed and
  /// whose place is given away is gone: implicitFrees() counts them.
  void apply(const TraceEvent &E);

  /// Of the address of an event: by its site if that names a struct. An access
  /// may show that a slot is an object.
  TracePlace place(const TraceEvent &E);
  TracePlace place(uint64_t Address) const;

  /// Calls Take(const TracePlace &) for each object that was allocated and
  /// lives, and for allocated pages without slab or object. In no order that
  /// means something.
  template <typename F> void forEachLive(F &&Take) const;

  uint64_t live() const { return Lives.size() - FreeLives.size(); }
  uint64_t implicitFrees() const { return ImplicitFrees; }
  /// Frees of what was not known to live.
  uint64_t unknownFrees() const { return UnknownFrees; }

private:
  static constexpr uint32_t None = ~0u;
  static constexpr unsigned PageShift = 12;
  struct Life {
    uint64_t Address, Number;
    uint32_t SizeBytes, Allocator, Struct; ///< 0 bytes: the row is unused
  };
  enum class SlotUse : uint8_t { Unknown, Object, Free };
  struct Block { ///< pages behind one another, or a slab
    uint64_t Address, Number;
    uint32_t SizeBytes, Allocator;
    uint32_t Stride; ///< 0: no slab
    uint32_t Pages;  ///< that still refer to it
    bool Cached;
    std::vector<SlotUse> Slots; ///< of a slab
  };
  struct PageState {
    std::vector<uint32_t> Lives; ///< that overlap it, by address
    uint32_t Pages = None, Slab = None;
    bool empty() const {
      return Lives.empty() && Pages == None && Slab == None;
    }
  };
  /// What is known of a page; stacks and user memory, which are in no object,
  /// are asked for again and again.
  struct KnownPage {
    uint64_t Page = ~uint64_t(0);
    const PageState *State = nullptr; ///< or null
    /// Rows of Tables.Objects, behind the last that begins at or before its
    /// first and its last address.
    uint32_t First = 0, Last = 0;
  };
  void alloc(const TraceEvent &E);
  void free(uint64_t Address);
  void end(uint32_t Life);
  void endAll(uint64_t Begin, uint64_t End);
  void setBlock(const TraceEvent &E, uint32_t PageState::*Which);
  void dropBlock(uint32_t &Block);
  /// The objects and the slab there are gone, and the pages.
  void clear(const TraceEvent &E, bool PagesToo);
  uint32_t findLife(const PageState &In, uint64_t Address) const;
  /// Of the slot around the address; null: it is in no slab.
  SlotUse *slotUse(const PageState &In, uint64_t Address);
  /// No object was there before the trace, or it is gone.
  void freeSlot(uint64_t Address);
  TracePlace placeIn(const KnownPage &Page, uint64_t Address) const;
  TracePlace staticPlace(const KnownPage &Page, uint64_t Address) const;

  static constexpr size_t KnownPages = 1 << 12;
  const KnownPage &known(uint64_t Page) const;
  PageState &makePage(uint64_t Page);
  void dropIfEmpty(uint64_t Page);

  const TraceTables &Tables;
  std::unordered_map<uint64_t, PageState> PageStates; ///< by page number
  mutable std::vector<KnownPage> Known; ///< by page number modulo KnownPages
  std::vector<Life> Lives;
  std::vector<Block> Blocks;
  std::vector<uint32_t> FreeLives, FreeBlocks; ///< rows that are unused
  struct SiteUse {
    uint32_t Struct, OffsetBytes; ///< that it names
    bool OfAllocator;             ///< its own code
  };
  std::vector<SiteUse> SiteUses; ///< by site
  bool TellsLives = false;       ///< an allocation or free came
  uint64_t Numbers = 0, ImplicitFrees = 0, UnknownFrees = 0;
};

template <typename F> void ObjectTable::forEachLive(F &&Take) const {
  TracePlace Of;
  Of.What = TracePlace::Allocated;
  for (const Life &L : Lives)
    if (L.SizeBytes) {
      Of.Struct = L.Struct;
      Of.SizeBytes = L.SizeBytes;
      Of.Allocator = L.Allocator;
      Of.Object = L.Address;
      Of.Number = L.Number;
      Take(Of);
    }
  Of = {};
  for (const Block &B : Blocks) {
    if (!B.Pages || B.Stride)
      continue;
    // Part of it can be free again.
    auto First = PageStates.find(B.Address >> PageShift);
    if (First != PageStates.end() &&
        (First->second.Slab != None || !First->second.Lives.empty()))
      continue;
    Of.What = B.Cached ? TracePlace::CachedPage : TracePlace::Page;
    Of.SizeBytes = B.SizeBytes;
    Of.Object = B.Address;
    Of.Number = B.Number;
    Take(Of);
  }
}

} // namespace kst

#endif
