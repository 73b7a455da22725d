// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types of a kernel's objects: of variables by debug information, of slab
// objects by their cache, of others by who allocated them.

#ifndef KST_HYBRID_PIPELINE_KERNELTYPES_H
#define KST_HYBRID_PIPELINE_KERNELTYPES_H

#include "hybrid/pipeline/AllocatedTypes.h"
#include "passes/readers/DebugFacts.h"
#include "passes/readers/KernelImage.h"

namespace kst {

struct RecordedCache {
  std::string Name;
  uint32_t StrideBytes = 0, ObjectBytes = 0; ///< 0: whole pages
  bool OfSizes = false; ///< objects of a size, whatever they are
};

struct KernelType {
  std::string Name;
  uint32_t SizeBytes = 0; ///< 0: not known
  TypeSource Source = TypeSource::Allocator;
  std::vector<MeasuredElement> Elements;
};

struct KernelTypes {
  std::vector<KernelType> Types;
  std::vector<uint32_t> OfCache; ///< into Types, or NoStruct
  /// Of allocations from caches without a struct: into Types, or NoStruct.
  std::vector<uint32_t> OfAllocation;
  std::vector<TraceObject> Objects; ///< Struct: into Types; sorted by address
};

/// Types of variables, caches and allocations. A cache is of the struct of its
/// name, else of that in which all who allocate from it keep the result; else
/// of that whose name is the longest part of the cache's before a `_` and fits;
/// else of a type that is named like the cache. Caches of kmalloc() have none.
/// Where a cache has no struct, allocations from it may have one each.
/// PerCpu: offsets of the areas of the CPUs, 0 for one that did not start.
llvm::Expected<KernelTypes>
kernelTypes(const KernelImage &Image, const std::vector<RecordedCache> &Caches,
            const std::vector<uint64_t> &PerCpu,
            const std::vector<AllocationSite> &Allocations);

/// Without debug information: every cache but those of kmalloc() has a type of
/// its name.
KernelTypes kernelTypes(const std::vector<RecordedCache> &Caches);

/// The type of what a function allocates from a cache of no type; Several: it
/// does so from others, too.
KernelType typeOfCaller(const RecordedCache &Cache, const std::string &Function,
                        bool Several);

/// Whether a cache has a struct.
inline bool hasStruct(const KernelTypes &Of, uint32_t Cache) {
  return Cache < Of.OfCache.size() && Of.OfCache[Cache] != NoStruct &&
         Of.Types[Of.OfCache[Cache]].Source != TypeSource::Allocator;
}

/// Whether objects of a cache of that size can be of a struct: nothing but
/// alignment is added.
bool fits(uint64_t StructBytes, uint64_t ObjectBytes);

/// Of structs that a cache may be of, the only one that begins with its name or
/// the first words of it, as unix_sock does with UNIX-STREAM; else all of them.
std::set<std::string> namedAfter(const std::string &Cache,
                                 std::set<std::string> Structs);

} // namespace kst

#endif
