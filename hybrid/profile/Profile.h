// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was measured in one or more runs, whoever measured it: counters of an
// instrumented program, samples, or a trace in words. Independent of the
// program's file and of the analysed source.
//
// One canonical form: texts are numbers into one sorted table and every table
// is sorted by what its rows are about, so that equal measurements are equal
// values and profiles are merged by walking their tables side by side.
// ProfileBuilder makes it out of rows in any order; checkProfile() has the
// rules.

#pragma once

#include "passes/abi/kst_abi.h"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kst {

/// A text of a profile: index into Profile::Strings; 0 is "".
using TextId = uint32_t;

enum class SiteKind : uint16_t {
  Read = KST_SITE_READ,
  Write = KST_SITE_WRITE,
  ReadWrite = KST_SITE_READ_WRITE,
  BulkRead = KST_SITE_BULK_READ,
  BulkWrite = KST_SITE_BULK_WRITE,
  Address = KST_SITE_ADDRESS,
  Entry = KST_SITE_ENTRY,
  ByAddressRead = KST_SITE_BY_ADDRESS_READ,
  ByAddressWrite = KST_SITE_BY_ADDRESS_WRITE,
  ByAddressBoth = KST_SITE_BY_ADDRESS_BOTH,
  /// How often code of this line ran, of no struct. Line: from that of the
  /// function's name, so that edits above do not matter; may be negative, as
  /// two's complement. SizeBytes: lines from there on that ran as often, 0:
  /// this one only. Column: the text of the line (anchorOf()), 0: not known.
  /// Not in tables of the pass.
  Line = KST_SITE_KINDS,
};
inline constexpr uint16_t SiteKinds = uint16_t(SiteKind::Line) + 1;
/// The read that a store to a bit-field does first: none of the source.
inline constexpr uint16_t MarkBitFieldRead = KST_MARK_BIT_FIELD_READ;

/// A member of the compiler's type for a struct, padding too.
struct MeasuredElement {
  uint32_t OffsetBytes = 0, SizeBytes = 0;
  auto operator<=>(const MeasuredElement &) const = default;
};

/// A member of a struct by its name, as the program's debug information has it;
/// of an anonymous struct or union the members. Not of other depths.
struct NamedMember {
  uint32_t Struct = 0; ///< into Profile::Structs
  TextId Name = 0;
  uint64_t OffsetBits = 0, SizeBits = 0;
  bool operator==(const NamedMember &) const = default;
};

/// A struct as the measured program laid it out. Different units may have
/// different structs of one name.
struct MeasuredStruct {
  TextId Name = 0;
  uint32_t SizeBytes = 0; ///< 0: the source of the profile does not know
  /// Its elements: Profile::Elements[Begin, End), in order of the type.
  uint32_t Begin = 0, End = 0;
  bool operator==(const MeasuredStruct &) const = default;
};

inline constexpr uint32_t NoStruct = KST_NO_RECORD;

/// One access at one place of the source, and how often it ran. Read and
/// written: the access of a Read site happens Count times.
struct MeasuredSite {
  uint32_t Struct = NoStruct; ///< into Profile::Structs
  TextId Function = 0;        ///< source function, before inlining
  TextId File = 0;            ///< as the compiler was told
  uint32_t Line = 0, Column = 0;
  uint32_t OffsetBytes = 0, SizeBytes = 0;
  uint16_t FirstBit = 0, Bits = 0; ///< Bits 0: no bit-field
  TextId Field = 0; ///< path, where the source gives names and no offsets
  SiteKind Kind = SiteKind::Read;
  uint16_t Marks = 0; ///< KST_MARK_...
  uint64_t Count = 0;
  bool operator==(const MeasuredSite &) const = default;
};

/// Sites that ran as a whole, so often. Regions of equal function and sites
/// are one.
struct MeasuredRegion {
  TextId Function = 0; ///< whose code it is part of, after inlining
  TextId File = 0;     ///< where that is defined
  /// Its sites: Profile::References[Begin, End), sorted by site, each once.
  uint32_t Begin = 0, End = 0;
  uint64_t Count = 0;
  bool operator==(const MeasuredRegion &) const = default;
};

struct SiteReference {
  uint32_t Site = 0;  ///< into Profile::Sites
  uint32_t Times = 1; ///< per run of the region; at least 1
  auto operator<=>(const SiteReference &) const = default;
};

/// Accesses that only their address told: of no known place in the source.
struct AddressCount {
  uint32_t Struct = 0; ///< into Profile::Structs
  uint32_t OffsetBytes = 0;
  uint64_t Reads = 0, Writes = 0;
  bool operator==(const AddressCount &) const = default;
};

/// Counted accesses of a struct by who made them: one thread, which has most of
/// them where that is known (the main one, or the only other one), and all
/// other threads together.
struct ThreadUse {
  uint32_t Struct = 0; ///< into Profile::Structs
  uint32_t Unused = 0; ///< 0
  uint64_t ByOwner = 0, ByOthers = 0;
  bool operator==(const ThreadUse &) const = default;
};

/// Samples of a function, no field known. Weight in samples.
struct FunctionSamples {
  TextId Function = 0;
  uint32_t Unused = 0; ///< 0
  uint64_t Count = 0;
  bool operator==(const FunctionSamples &) const = default;
};

/// A function of the source.
struct SourceFunction {
  TextId Function = 0;
  TextId File = 0;
  auto operator<=>(const SourceFunction &) const = default;
};

struct Profile {
  /// Sorted, each once; Strings[0] is "". No control characters.
  std::vector<std::string> Strings{""};
  /// source, release, machine, config, label, cpus, ... as docs/ lists them.
  /// Of several runs: all values, sorted, ", " between them.
  std::map<std::string, std::string> Text;
  uint32_t Runs = 1;
  uint64_t DurationNs = 0;
  uint64_t Lost = 0; ///< events or objects that the recorder says it lost
  std::vector<MeasuredStruct> Structs; ///< by name, size, elements
  std::vector<MeasuredElement> Elements;
  std::vector<MeasuredSite> Sites; ///< by all members before Count, in order
  std::vector<MeasuredRegion> Regions; ///< by function, file, references
  std::vector<SiteReference> References;
  std::vector<AddressCount> ByAddress;  ///< by struct, offset
  std::vector<FunctionSamples> Samples; ///< by function
  /// Source functions with sites that no unit counts, by rule: they were not
  /// instrumented. Sites of theirs have count 0, as have those never hit.
  std::vector<SourceFunction> NotCounted;
  std::vector<ThreadUse> Threads; ///< by struct; none: who used it is not known
  /// By struct, offset, size, name; none: the names are not known.
  std::vector<NamedMember> Members;

  const std::string &text(TextId Id) const { return Strings[Id]; }
  std::span<const MeasuredElement> elements(const MeasuredStruct &Of) const {
    return {Elements.data() + Of.Begin, Of.End - Of.Begin};
  }
  std::span<const SiteReference> references(const MeasuredRegion &Of) const {
    return {References.data() + Of.Begin, Of.End - Of.Begin};
  }
  bool operator==(const Profile &) const = default;
};

} // namespace kst
