// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the kernel's allocator takes for an object: caches as /proc/slabinfo
// lists them, and the general sizes of kmalloc().

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/survey/Survey.h"

#include <map>
#include <string>
#include <string_view>

namespace kst {

/// A line of /proc/slabinfo.
struct SlabRow {
  uint64_t Objects = 0; ///< that are in use
  uint64_t ObjectBytes = 0, PerSlab = 0, PagesPerSlab = 0;
};

/// By name. The format is version 2.1 (mm/slab_common.c); fails for any other.
Result<std::map<std::string, SlabRow>> readSlabinfo(std::string_view Text);

/// Caches for objects of one struct that a source text makes: name of the cache
/// -> struct, from kmem_cache_create("NAME", sizeof(struct S)), KMEM_CACHE(S)
/// and protocols of sockets (.name, .obj_size).
std::map<std::string, std::string> cachesMade(std::string_view Source);

/// Prices SizeBytes with `Unused` bytes of holes and padding. A cache that
/// gives fewer bytes than that is of another configuration: an error.
Result<MemoryPrice> priceInCache(uint64_t SizeBytes, uint64_t Unused,
                                 const SlabRow &Cache, uint64_t PageBytes);

/// The same for an object of kmalloc(): sizes of include/linux/slab.h, powers
/// of two from 8 to 8192 and 96 and 192; above, whole pages.
MemoryPrice priceByKmalloc(uint64_t SizeBytes, uint64_t Unused,
                           uint64_t Objects, uint64_t PageBytes);

} // namespace kst
