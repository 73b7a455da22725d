// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lives of a kernel's objects in a raw trace: caches, who allocates and frees,
// and what the accesses say about types.

#ifndef KST_HYBRID_IMPORT_RAWLIVES_H
#define KST_HYBRID_IMPORT_RAWLIVES_H

#include "hybrid/import/RawTrace.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/TraceTables.h"

#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

namespace kst {

/// Where a call is in the source; an empty Function: not known.
struct CallerPlace {
  std::string Function; ///< for types that are named after it
  std::string Site;     ///< tells calls of one function apart
  std::string File;
  uint32_t Line = 0, Column = 0;
};
/// Of the address that a call returns to. Empty: none is known.
using CallerNames = std::function<CallerPlace(uint64_t)>;

/// A struct that accesses name.
struct AccessedStruct {
  std::string Name;
  uint32_t SizeBytes = 0;
  bool Flexible = false; ///< its last member is an array of no length
  uint32_t Row = 0;      ///< as the ProfileBuilder numbers it
};

/// An object is of the struct that begins where it does, as accesses say, where
/// the size fits: all of a cache are, and all that one call of kmalloc() makes.
/// The largest counts: a socket is first of all a `sock`. Where no access says
/// so, a cache names the type, and who calls kmalloc().
class RawLives {
public:
  /// A record that names a cache.
  void cache(const RawTraceRecord &R);
  bool any() const { return !Caches.empty(); }

  /// All events of all CPUs, by time. Struct: a number of the caller's.
  void life(const RawTraceEvent &E, const RawLife &Of);
  void access(uint64_t Object, uint32_t Struct);

  /// Adds sites and structs; Structs: by the numbers of access().
  void name(ProfileBuilder &Make, const CallerNames &Names,
            const std::vector<AccessedStruct> &Structs);
  /// The rows that Make.finish() gave them.
  void finish(const ProfileBuilder::Numbers &Numbers, TraceTables &Tables);
  /// After finish(): the event of a trace.
  TraceEvent event(const RawTraceEvent &E, const RawLife &Of) const;

private:
  struct Cache {
    std::string Name;
    uint32_t SlotBytes = 0, ObjectBytes = 0;
    uint32_t Struct = NoStruct;
    std::set<uint32_t> Begin; ///< structs accessed where an object begins
    bool ofSizes() const;
  };
  struct Caller {
    uint64_t Allocations = 0;
    uint32_t LeastAsked = ~0u, MostAsked = 0;
    uint32_t Cache = ~0u; ///< row of Caches
    bool Several = false; ///< allocates from other caches, too
    bool Named = false;   ///< from one that is not kmalloc()'s
    std::set<uint32_t> Begin;
    uint32_t Site = 0, Struct = NoStruct;
  };
  struct Live {
    uint32_t Cache;
    Caller *By;
    uint32_t Last; ///< struct of the last access
  };
  uint32_t rowOf(uint32_t Number) const;

  std::vector<Cache> Caches;
  std::unordered_map<uint32_t, uint32_t> CacheRow; ///< by number in the trace
  std::map<uint64_t, Caller> Callers;              ///< by address
  std::unordered_map<uint64_t, Live> Lives;        ///< by address
  std::vector<std::pair<uint32_t, TypeSource>> Sources; ///< by struct
};

} // namespace kst

#endif
