// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the numbers in events stand for.

#ifndef KST_HYBRID_TRACE_TRACETABLES_H
#define KST_HYBRID_TRACE_TRACETABLES_H

#include "hybrid/profile/Profile.h"
#include "hybrid/trace/Trace.h"

#include <string>
#include <vector>

namespace kst {

/// How the type of a struct's objects is known.
enum class TypeSource : uint32_t {
  Compiler = 0,  ///< the instrumented code said it
  Debug = 1,     ///< debug information of a variable
  CacheName = 2, ///< the slab cache has the name of the struct
  CallSite = 3,  ///< who called the allocator
  Allocator = 4, ///< nothing but the allocator: the name is the cache's
  Variable = 5,  ///< who allocates has the result in a pointer to it
  /// The only struct of that size that begins with what the variable points to.
  Beginning = 6,
};
inline constexpr uint32_t TypeSources = 7;
/// In words.
const char *spelling(TypeSource Source);

/// Where objects come from: a slab cache, a size of kmalloc().
struct TraceAllocator {
  std::string Name;
  uint32_t Struct = NoStruct; ///< of all its objects, if they have one
  uint32_t ObjectBytes = 0;   ///< 0: differs, or not known
  bool operator==(const TraceAllocator &) const = default;
};

/// What an event of a site of this kind does: bits of TraceEvent::Access.
inline uint8_t accessBits(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Read:
  case SiteKind::BulkRead:
  case SiteKind::ByAddressRead:
    return AccessLoad;
  case SiteKind::Write:
  case SiteKind::BulkWrite:
  case SiteKind::ByAddressWrite:
    return AccessStore;
  case SiteKind::ReadWrite:
  case SiteKind::ByAddressBoth:
    return AccessLoad | AccessStore;
  case SiteKind::Address:
  case SiteKind::Entry:
  case SiteKind::Line:
    break;
  }
  return 0;
}

struct TraceTables {
  /// Structs, sites with the number of their accesses, texts about the run.
  Profile About;
  std::vector<TypeSource> Sources; ///< by struct; shorter: Compiler
  /// Row of About.Sites by the site number of an event; empty: the same.
  std::vector<uint32_t> SiteOf;
  /// By row of About.Sites: the struct of what the call there allocates, or
  /// NoStruct. Shorter: NoStruct.
  std::vector<uint32_t> Allocates;
  std::vector<TraceObject> Objects; ///< sorted by address
  std::vector<TraceAllocator> Allocators;
  bool operator==(const TraceTables &) const = default;
};

} // namespace kst

#endif
