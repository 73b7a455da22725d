// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was measured in one or more runs, whoever measured it: counters of an
// instrumented program, samples, or a trace in words. Independent of the
// program's file and of the analysed source.

#ifndef KST_HYBRID_MODEL_PROFILE_H
#define KST_HYBRID_MODEL_PROFILE_H

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kst {

/// Numbers as in docs/profile-formats.md.
enum class SiteKind : uint8_t {
  Read, Write, ReadWrite, BulkRead, BulkWrite, Address, Entry,
  ByAddressRead, ByAddressWrite, ByAddressBoth,
};

enum SiteMark : uint16_t {
  MarkVolatile = 1,
  MarkAtomic = 2,
  MarkAsm = 4,
  MarkBitFieldRead = 8, ///< of a store to a bit-field; no read of the source
};

/// A struct as the measured program laid it out.
struct MeasuredStruct {
  std::string Name;
  uint32_t SizeBytes = 0; ///< 0: the source of the profile does not know
  struct Element {
    uint32_t OffsetBytes = 0, SizeBytes = 0;
    auto operator<=>(const Element &) const = default;
  };
  std::vector<Element> Elements; ///< members of the compiler's type, in order
  auto operator<=>(const MeasuredStruct &) const = default;
};

inline constexpr uint32_t NoStruct = ~0u;

/// One access at one place of the source, and how often it ran.
struct MeasuredSite {
  uint32_t Struct = NoStruct; ///< into Profile::Structs
  std::string Function;       ///< source function, before inlining
  std::string File;           ///< as the compiler was told
  uint32_t Line = 0, Column = 0;
  uint32_t OffsetBytes = 0, SizeBytes = 0;
  uint16_t FirstBit = 0, Bits = 0; ///< Bits 0: no bit-field
  SiteKind Kind = SiteKind::Read;
  uint16_t Marks = 0;
  std::string Field; ///< path, where the source gives names and no offsets
  uint64_t Count = 0;
};

/// Sites that ran as a whole, so often.
struct MeasuredRegion {
  struct Reference {
    uint32_t Site = 0, Times = 1;
    auto operator<=>(const Reference &) const = default;
  };
  std::string Function; ///< whose code it is part of, after inlining
  std::vector<Reference> Sites; ///< sorted by site, each once
  uint64_t Count = 0;
};

/// Accesses that only their address told: of no known place in the source.
struct AddressCount {
  uint32_t Struct = 0;
  uint32_t OffsetBytes = 0;
  uint64_t Reads = 0, Writes = 0;
};

/// Samples of a function, no field known. Weight in samples.
struct FunctionSamples {
  std::string Function;
  uint64_t Count = 0;
};

/// Sorted throughout: equal measurements are equal values.
struct Profile {
  /// source, release, machine, config, label, cpus, ... as docs/ lists them.
  std::map<std::string, std::string> Text;
  uint32_t Runs = 1;
  uint64_t DurationNs = 0;
  uint64_t Lost = 0; ///< events or objects that the recorder says it lost
  std::vector<MeasuredStruct> Structs;
  std::vector<MeasuredSite> Sites;
  std::vector<MeasuredRegion> Regions;
  std::vector<AddressCount> ByAddress;
  std::vector<FunctionSamples> Samples;
  /// Source functions with sites that rules forbid to count: not instrumented.
  std::vector<std::string> NotCounted;
};

} // namespace kst

#endif
