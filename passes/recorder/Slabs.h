// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which pages are slabs of which cache, followed by the kernel's stores to its
// page structs.

#ifndef KST_PASSES_RECORDER_SLABS_H
#define KST_PASSES_RECORDER_SLABS_H

#include "passes/recorder/Guest.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kst {

/// Of a type are the caches that have its name, or begin with it.
inline bool isCacheOf(const std::string &Cache, const std::string &Type) {
  return Cache == Type || Cache.rfind(Type + "_", 0) == 0;
}

struct SlabCache {
  uint64_t Address = 0; ///< 0: of no cache
  std::string Name;
  uint32_t Stride = 0, ObjectBytes = 0;
  bool Wanted = true;
};

/// A slab that came, or, with Cache NoCache, went.
struct SlabChange {
  uint64_t Address = 0; ///< in the direct map
  uint32_t SizeBytes = 0;
  uint32_t Cache = 0;
};

class Slabs {
public:
  static constexpr uint32_t NoCache = ~0u;
  Slabs(const RecorderSettings &S, const Guest &Memory);
  /// Once the guest's memory is mapped.
  void start();

  /// Whether a store there may change a slab: change() then says how. Any
  /// thread.
  bool watches(uint64_t Address) const {
    return Frames && Memory.frameOfStruct(Address) < Frames;
  }
  /// False: nothing changed.
  bool change(uint64_t Address, unsigned Bytes, SlabChange &What);

  /// The cache of an address in the direct map, or NoCache. Any thread.
  uint32_t cacheOf(uint64_t Address) const;
  /// Where the object around an address in a slab of the cache begins. Any
  /// thread.
  uint64_t slot(uint64_t Address, const SlabCache &Cache) const;
  /// All slabs there are.
  std::vector<SlabChange> all();
  /// The row of a name that is no cache.
  uint32_t other(const std::string &Name);
  /// Makes a cache wanted; false: it was, or it is none.
  bool want(uint32_t Cache);
  /// Caches that are new since the last call, with the number of the first.
  std::vector<SlabCache> takeNew(size_t &First);
  /// Of a row that exists.
  SlabCache cache(uint32_t Row);

private:
  bool isSlab(uint64_t Page) const;
  bool wanted(const std::string &Cache) const;
  uint32_t find(uint64_t Address);
  uint64_t pages(uint64_t Frame) const;

  const RecorderSettings &S;
  const Guest &Memory;
  uint64_t Frames = 0; ///< 0: nothing is followed
  std::mutex Lock;
  std::vector<SlabCache> Caches;
  size_t Told = 0;
  struct Page {
    std::atomic<uint32_t> Cache{NoCache};
    std::atomic<uint32_t> Head{0}; ///< frame
  };
  std::unique_ptr<Page[]> Pages; ///< by frame
};

} // namespace kst

#endif
