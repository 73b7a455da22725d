// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which row of the profile memory belongs to.

#pragma once

#include "hybrid/dprof/DataProfile.h"
#include "hybrid/trace/ObjectTable.h"

#include <map>
#include <tuple>

namespace kst {

struct DataType {
  std::string Name;
  TypeKind Kind;
  uint32_t SizeBytes;
};

/// Structs of one name and size are one type; an allocator whose struct is
/// known has the struct's.
class TypeTable {
public:
  explicit TypeTable(const TraceTables &Tables);

  /// `Address`: of what `Place` was found for.
  uint32_t of(const TracePlace &Place, uint64_t Address) const {
    if (Place.What == TracePlace::FreeSlot &&
        Place.Allocator < FreeSlots.size())
      return FreeSlots[Place.Allocator];
    if (Place.Struct < Structs.size())
      return Structs[Place.Struct];
    if (Place.Allocator < Allocators.size())
      return Allocators[Place.Allocator];
    switch (Place.What) {
    case TracePlace::Page:
      return Page;
    case TracePlace::CachedPage:
      return CachedPage;
    default:
      return between(Address);
    }
  }
  const std::vector<DataType> &types() const { return Types; }
  /// The type of that struct, if there is one; the first of several sizes.
  std::optional<uint32_t> named(const std::string &Struct) const;

private:
  /// Kernels have the upper half of addresses to themselves.
  static bool isKernel(uint64_t Address) { return Address >> 63; }
  struct Range {
    uint64_t Begin = ~uint64_t(0), End = 0;
    bool has(uint64_t Address) const {
      return Address >= Begin && Address < End;
    }
  };
  /// Of an address that is in no object.
  uint32_t between(uint64_t Address) const;
  uint32_t add(const std::string &Name, TypeKind Kind, uint32_t SizeBytes);

  std::vector<DataType> Types;
  std::map<std::tuple<std::string, TypeKind, uint32_t>, uint32_t> Rows;
  /// As the trace numbers them; FreeSlots: by allocator.
  std::vector<uint32_t> Structs, Allocators, FreeSlots;
  Range Static;
  std::vector<Range> PerCpu; ///< of one CPU each
  uint32_t Page, CachedPage, StaticData, PerCpuData, Unknown, User;
};

} // namespace kst
