// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a trace says about types of data: which of them miss, why, how much of
// them there is, and through whose hands their objects go (after DProf,
// Pesterev et al., EuroSys'10). All counts are of the cache model, none is a
// time.

#pragma once

#include "hybrid/cache/CacheModel.h"
#include "hybrid/core/MemberName.h"
#include "hybrid/trace/Trace.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What kind of memory a row is about.
enum class TypeKind : uint8_t {
  Struct,     ///< objects whose struct is known
  Allocator,  ///< objects of an allocator that says no more
  Page,       ///< allocated pages that are no slab
  CachedPage, ///< pages of files
  FreeSlots,  ///< slots of a slab cache in which no object is known
  StaticData, ///< between static objects of known structs, in none of them
  PerCpuData, ///< the same between the per-CPU objects of one CPU
  User,       ///< addresses of user space in a trace of a kernel
  Unknown,    ///< what the trace says nothing about
};
inline constexpr unsigned TypeKinds = 9;
/// Memory of this kind has places that mean the same in all its objects.
inline bool hasFields(TypeKind Kind) {
  return Kind == TypeKind::Struct || Kind == TypeKind::Allocator;
}
/// Such memory falls into objects.
inline bool hasObjects(TypeKind Kind) { return Kind <= TypeKind::CachedPage; }
const char *spelling(TypeKind Kind);

using ClassCounts = std::array<uint64_t, MissClasses>;

/// An access to several lines counts once for each, as in the model.
struct AccessCounts {
  uint64_t Loads = 0, Stores = 0; ///< a store that loads, too, is a store
  std::array<uint64_t, Servers> Served{};
  std::array<ClassCounts, CacheLevels> Missed{};
  uint64_t Upgrades = 0;

  uint64_t accesses() const { return Loads + Stores; }
  uint64_t misses(CacheLevel Level) const;
  AccessCounts &operator+=(const AccessCounts &Other);
  bool operator==(const AccessCounts &) const = default;
};

/// Bytes over time: the mean and the largest of the ends of all windows.
struct BytesOverTime {
  double Mean = 0;
  uint64_t Most = 0;
  bool operator==(const BytesOverTime &) const = default;
};

/// A place in the source.
struct SiteName {
  std::string Function, File;
  uint32_t Line = 0;
  std::string Field; ///< if the trace has names in place of offsets
};

/// Accesses from one place in the source to one place of a type.
struct PlaceRow {
  uint32_t OffsetBytes = 0, SizeBytes = 0; ///< of the access
  uint32_t Site = 0;                       ///< into DataProfile::Sites
  ContextKind Context = ContextKind::Task;
  uint64_t Loads = 0, Stores = 0;
  uint64_t Cpus = 0; ///< bit N: the Nth CPU
  /// At the level of the profile.
  std::array<uint32_t, MissClasses> Missed{};
  uint64_t misses() const;
  bool operator==(const PlaceRow &) const = default;
};

/// A step of objects: what they did first, and then.
struct FlowNode {
  uint32_t Parent = 0; ///< a row before this one; of the root itself
  std::string Function;
  bool OtherCpu = false; ///< than the step before
  bool Seen = false;     ///< of a root: its objects were allocated in the trace
  uint64_t Objects = 0;  ///< that came here
  uint64_t Ended = 0;    ///< of those: their last step, and they were freed
  uint64_t Cut = 0;      ///< of those: went on where no path was kept
  uint64_t Loads = 0, Stores = 0;
  /// Bit N: bytes N * grain and those behind it were accessed.
  uint64_t Touched = 0;
  bool operator==(const FlowNode &) const = default;
};

/// Paths of the objects of a type, merged from the front.
struct Flow {
  uint32_t GrainBytes = 8; ///< of FlowNode::Touched; the last bit has the rest
  /// Each behind its parent. Two roots: objects that were allocated in the
  /// trace, and those that were there before.
  std::vector<FlowNode> Nodes;
  uint64_t Cut = 0; ///< objects with a path that was cut, for whatever reason
  bool operator==(const Flow &) const = default;
};

struct TypeRow {
  std::string Name;
  MemberNames Members; ///< if they are known
  TypeKind Kind = TypeKind::Unknown;
  uint32_t SizeBytes = 0; ///< of an object; 0: they differ, or not known
  AccessCounts Counts;
  /// Objects that were accessed, and of those: by more than one CPU.
  uint64_t Objects = 0, MovedObjects = 0;
  /// Accesses by another CPU than the one before to the same object.
  uint64_t Moves = 0;
  BytesOverTime Live, Active;
  std::array<BytesOverTime, CacheLevels> Resident;
  std::vector<PlaceRow> Places; ///< by offset, then most misses first
  uint64_t OtherPlaces = 0;     ///< accesses from more places than are kept
  Flow Paths;
};

/// The state at the end of a window.
struct WindowRow {
  uint64_t Time = 0;
  std::vector<uint64_t> Live, Active, Resident; ///< by type; at the level
};

/// A set of the cache at the level of the profile.
struct SetRow {
  uint32_t Cpu = 0; ///< whose cache; 0 at the last level
  uint64_t Set = 0;
  double Lines = 0; ///< different ones accessed in a window, mean
  uint64_t Conflicts = 0, Capacity = 0;             ///< misses
  std::vector<std::pair<uint32_t, uint64_t>> Types; ///< with both, most first
};

/// How many sets see how many different lines in a window.
struct SetHistogram {
  uint64_t Sets = 0; ///< of all CPUs' caches together
  /// [N]: sets with a mean of N / 4 times their ways or more, and less than one
  /// more; the last one has the rest.
  static constexpr unsigned Bins = 17;
  std::array<uint64_t, Bins> Number{};
  std::array<uint64_t, Bins> Conflicts{}; ///< their conflict misses
  std::vector<SetRow> Fullest; ///< most conflict misses first, then most lines
  bool TypesCut = false;       ///< more sets and types than are kept
};

/// Misses of one field on one line that other CPUs had taken.
struct LossRow {
  /// Of Written: bytes of the line outside of the object.
  static constexpr uint32_t OtherObject = ~0u;

  uint32_t Field = 0; ///< of the record; bit-fields of one byte: the first
  uint32_t Line = 0;  ///< of the object's present lines, from its begin
  /// What they wrote there since they took it; ascending.
  std::vector<uint32_t> Written;
  uint64_t True = 0, False = 0; ///< misses
  bool operator==(const LossRow &) const = default;
};

/// What one order of a type does.
struct OrderCounts {
  /// [0]: accesses of that type, [1]: all others.
  std::array<AccessCounts, 2> Counts;
  /// At the level of the profile.
  std::vector<uint64_t> Missed; ///< by field of the record
  std::vector<LossRow> Losses;  ///< by field, line and what was written
  bool operator==(const OrderCounts &) const = default;
};

/// The same stream with the bytes of one type in another order. An access to
/// several fields counts once for each, in both orders.
struct WhatIf {
  std::string Type;
  std::string Order; ///< where it comes from
  OrderCounts Before, After;
  /// Accesses to objects of that type that do not begin at a line.
  uint64_t Unaligned = 0;
  uint64_t InHoles = 0;    ///< accesses of that type to no field: left out
  uint64_t MovedBytes = 0; ///< of an object that lie elsewhere
};

struct DataProfile {
  std::string File, Label;
  CacheGeometry Geometry;
  CacheLevel Level = CacheLevel::L2;
  ClassRule Sharing = ClassRule::AtMiss;
  std::array<double, Servers> Latency{};
  uint32_t Cpus = 1;
  /// Each is a thread of a program, which does not move to another one.
  bool Threads = false;
  uint64_t Events = 0, Lost = 0;
  bool Complete = true;
  std::vector<std::string> Limits; ///< traceLimits()
  uint64_t NoAccesses = 0;  ///< events of accesses that neither load nor store
  uint64_t CutAccesses = 0; ///< to more bytes than MostAccessBytes
  /// Events of accesses to fields of which only the name is known.
  uint64_t UnknownFields = 0;
  uint64_t ImplicitFrees = 0, UnknownFrees = 0;
  bool Contexts = false; ///< the trace has some
  AccessCounts All;
  std::vector<TypeRow> Types;  ///< most misses first, then accesses, then name
  std::vector<SiteName> Sites; ///< of places
  uint64_t WindowEvents = 0;   ///< length of a window
  std::vector<WindowRow> Windows;
  SetHistogram Sets;
  std::vector<WhatIf> Orders; ///< as asked

  double cost(const AccessCounts &Of) const;
};

/// Puts the types in the order of the rows, without those that have neither an
/// access nor a live byte; numbers of types in `P` follow.
void sortTypes(DataProfile &P);

/// Longer accesses count as so long.
inline constexpr uint32_t MostAccessBytes = 1 << 20;

} // namespace kst
