// SPDX-License-Identifier: GPL-2.0-or-later
//
// A profile summed up for people: by struct and place in it, by function.

#pragma once

#include "hybrid/profile/Profile.h"

#include <string>
#include <vector>

namespace kst {

/// Sums stay at 2^64 - 1 when they do not fit. The read that a store to a
/// bit-field does first is no read of the source and is not in here.
struct AccessSums {
  uint64_t Reads = 0, Writes = 0; ///< one that does both counts for each
  uint64_t BulkReads = 0, BulkWrites = 0;
  uint64_t Addresses = 0; ///< times the address was handed on
  /// Reads, writes and bulk accesses.
  uint64_t total() const;
  void add(const MeasuredSite &Site);
  void add(const AccessSums &Other);
};

struct NamedCount {
  TextId Name = 0;
  uint64_t Count = 0;
};

/// What is accessed as one thing: the same bytes, or bits, or the same path.
struct MeasuredField {
  uint32_t OffsetBytes = 0, SizeBytes = 0;
  uint16_t FirstBit = 0, Bits = 0;
  TextId Field = 0;
  uint32_t Sites = 0, SitesRun = 0;
  AccessSums Sums;
  uint64_t AddressReads = 0, AddressWrites = 0; ///< by address only
  std::vector<NamedCount> Functions; ///< source functions, most accesses first
};

struct MeasuredStructView {
  uint32_t Struct = 0; ///< into Profile::Structs
  AccessSums Sums;
  uint64_t AddressReads = 0, AddressWrites = 0;
  std::vector<MeasuredField> Fields; ///< by offset, size, bits, path
};

struct FunctionView {
  TextId Function = 0;
  uint32_t Sites = 0, SitesRun = 0;
  uint64_t Entries = 0;  ///< times entered, where that is a site
  uint64_t Accesses = 0; ///< of structs shown
  uint64_t Samples = 0;
};

struct ProfileView {
  std::vector<MeasuredStructView> Structs; ///< as in the profile
  std::vector<FunctionView> Functions; ///< most accesses, then samples, name
  uint32_t Sites = 0, SitesRun = 0, Regions = 0, RegionsRun = 0;
  uint64_t Samples = 0;
  uint64_t ByAddressSites = 0; ///< runs of accesses that only addresses place
};

/// Of all structs, or of those named Struct; functions without an access of
/// those and without samples are left out when one is named.
ProfileView viewOf(const Profile &P, const std::string &Struct);

} // namespace kst
