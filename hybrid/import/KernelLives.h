// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a recording of a kernel says, as events of a trace. Two walks: the first
// finds sites, caches and where the kernel's direct map is; the second makes
// the events.

#pragma once

#include "hybrid/import/KernelRecord.h"
#include "hybrid/trace/Trace.h"

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kst {

/// A cache of the kernel, as far as events name it.
struct EventCache {
  std::string Name;
  uint32_t SlotBytes = 0, ObjectBytes = 0; ///< 0: not known
  enum Kind {
    Named,     ///< a cache of its own
    OfSizes,   ///< kmalloc()
    WholePages ///< kmalloc() of more than its caches have
  } What = Named;
  bool Nameless = false; ///< nobody named it: Name is made up of the size
};

/// A place in code that events name.
struct EventSite {
  uint64_t Address = 0; ///< of a call: where it returns to
  bool Call = false;
  uint64_t Count = 0; ///< accesses
  uint8_t Access = 0;
  uint32_t MostBytes = 0;
  uint32_t Allocator = NoAllocator; ///< that it allocates from
  bool Allocates = false, Several = false;
};

struct EventCounts {
  uint64_t Events = 0; ///< of the trace
  uint64_t Allocations = 0, Samples = 0;
  uint64_t Lost = 0;
  uint64_t Others = 0; ///< records that a trace has no use for
  uint64_t FirstTime = ~uint64_t(0), LastTime = 0;
};

/// Names of caches: kmem_cache_alloc has none in many kernels, kmem_cache_free
/// has. An object's cache is the one that its own free names; else the one that
/// the first free of an object of the same caller and size names; else it is
/// nameless. Memory grows with what lives at one time, and with the objects of
/// a caller that allocates from several caches of one size.
///
/// Since Linux 6.10 kmalloc() of more than its caches have may have two events:
/// one of the function that takes the pages, for a call by the allocator, and
/// one for the allocator's own caller. Such a pair, with nothing that this task
/// allocates or frees between, is one allocation: the second.
class KernelLives {
public:
  using Sink = std::function<void(const TraceEvent &)>;

  /// DirectMap: the address of page frame 0; 0: found from slabs that are made
  /// within the recording, or else that of x86-64 without KASLR.
  KernelLives(uint64_t DirectMap, uint32_t PageBytes)
      : DirectMap(DirectMap), PageBytes(PageBytes) {}

  /// The first walk, all records, then finish() once.
  void survey(const KernelRecord &R);
  void finish();
  /// The second walk: the same records. Events have numbers of sites() as
  /// sites. Out takes those of each stream in the order of time.
  void convert(const KernelRecord &R, const Sink &Out);
  /// What was lost behind the last event, by stream.
  const std::map<uint32_t, uint64_t> &lostAtEnd() const { return LostOf; }

  const std::vector<EventSite> &sites() const { return Sites; }
  const std::vector<EventCache> &caches() const { return Caches; }
  const EventCounts &counts() const { return Counts; }
  uint32_t streams() const { return static_cast<uint32_t>(Streams.size()); }
  uint64_t directMap() const { return DirectMap; }
  /// Pages that told where the direct map is; 0: it was given or assumed.
  uint64_t directMapVotes() const { return Votes; }
  bool hasPages() const { return Pages; }

private:
  static constexpr uint32_t None = ~0u;
  struct Key {
    uint64_t Caller, Asked, Bytes;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &K) const;
  };
  struct Live {
    uint32_t Key;
    uint64_t Number; ///< of its allocation
  };
  struct LastPage {
    uint64_t Frame = 0, Bytes = 0; ///< 0 bytes: none
    uint32_t Task = 0;
  };
  struct LargeObject {
    uint64_t Address, Asked, Caller;
    uint64_t Number; ///< of its allocation
  };
  struct Context {
    uint32_t Task = None;
    uint8_t Inside = 0;
  };

  uint32_t site(uint64_t Address, bool Call);
  uint32_t cache(std::string_view Name, uint64_t SlotBytes,
                 uint64_t ObjectBytes, EventCache::Kind What);
  uint32_t kmallocCache(const KernelRecord &R);
  void surveyAlloc(const KernelRecord &R);
  void surveyFree(const KernelRecord &R);
  void voteForMap(const KernelRecord &R);
  void pairLarge(const KernelRecord &R);
  uint32_t cacheOfAlloc(const KernelRecord &R, uint64_t Number);
  void contexts(const KernelRecord &R, const Sink &Out);
  void emit(TraceEvent E, const Sink &Out);
  TraceEvent pages(const KernelRecord &R, EventKind Kind) const;

  uint64_t DirectMap, Votes = 0;
  uint32_t PageBytes;
  bool Pages = false, FreesPages = false, Wide = false;
  std::vector<EventSite> Sites;
  std::vector<EventCache> Caches;
  std::unordered_map<uint64_t, uint32_t> SiteOf[2]; ///< by Call
  std::unordered_map<std::string, uint32_t> CacheOf;
  std::unordered_map<Key, uint32_t, KeyHash> KeyOf;
  std::vector<std::pair<Key, uint32_t>> Keys;        ///< and its cache
  std::unordered_map<uint64_t, Live> Lives;          ///< by address
  std::unordered_map<uint64_t, uint32_t> OtherCache; ///< by allocation
  std::unordered_map<uint64_t, uint32_t> Owner; ///< address: cache, second walk
  std::unordered_map<uint32_t, LastPage> PageOf; ///< by stream
  /// By what runs; its latest event of memory is that.
  std::unordered_map<uint64_t, LargeObject> LargeOf;
  std::unordered_set<uint64_t> ToldAgain; ///< allocations
  std::map<uint64_t, uint64_t> MapVotes;
  std::set<uint32_t> Streams;
  std::unordered_map<uint32_t, Context> ContextOf;
  std::map<uint32_t, uint64_t> LostOf;
  uint64_t Allocations = 0;
  EventCounts Counts;
};

} // namespace kst
