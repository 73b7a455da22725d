// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an allocation makes: out of the pointers that its caller keeps the
// result in, and the size.

#ifndef KST_HYBRID_PIPELINE_ALLOCATEDTYPES_H
#define KST_HYBRID_PIPELINE_ALLOCATEDTYPES_H

#include "hybrid/trace/TraceTables.h"
#include "passes/readers/CallResults.h"

#include <set>

namespace kst {

/// Calls of an allocator that return to one address, for objects of one cache.
struct AllocationSite {
  uint32_t Site = 0, Cache = 0; ///< as the recording numbers them
  /// Bytes that were asked for at the site, of whatever cache.
  uint64_t LeastBytes = ~uint64_t(0), MostBytes = 0;
  std::vector<ResultType> Results;
};

/// The bytes of objects, as far as their allocator tells them.
struct ObjectBytes {
  uint64_t Least = 0, Most = 0;
  bool Rounded = false; ///< up, by less than 8

  bool sameForAll() const { return Least && Least == Most; }
  /// Nothing but alignment is added, or a last array is longer.
  bool holds(const ResultType &Struct) const;
};

/// A struct of objects, and how that is known.
struct AllocatedType {
  std::string Name;
  uint64_t SizeBytes = 0;
  TypeSource Source = TypeSource::Variable;
  bool operator==(const AllocatedType &) const = default;
};

/// The only struct of these that the objects hold; nothing if there are
/// several.
std::optional<AllocatedType> allocatedType(const std::vector<ResultType> &Of,
                                           const ObjectBytes &Bytes);

/// Structs so large that what begins with them is of their kind, and smaller
/// than the objects.
std::set<std::string> beginningsOf(const std::vector<ResultType> &Of,
                                   const ObjectBytes &Bytes);

} // namespace kst

#endif
