// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the first half of the plugin finds and the second half counts: sites,
// the functions and structs they name, and segments.

#pragma once

#include "passes/abi/kst_abi.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kst::counters {

enum Kind : uint32_t {
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
};

enum Mark : uint32_t {
  Volatile = KST_MARK_VOLATILE,
  Atomic = KST_MARK_ATOMIC,
  Asm = KST_MARK_ASM,
  BitFieldRead = KST_MARK_BIT_FIELD_READ,
  PlaceOfArray = KST_MARK_PLACE,
  StartsThread = KST_MARK_START,
  JoinsThread = KST_MARK_JOIN
};

inline constexpr uint32_t NoStruct = KST_NO_RECORD;

inline bool isByAddress(uint32_t Kind) { return Kind >= ByAddressRead; }

/// One access at one place of the source. Offsets and sizes in bytes from the
/// start of the struct; bits from the lowest of the byte at Offset.
struct Site {
  uint32_t Struct = NoStruct; ///< into SiteTable::Structs
  uint32_t Function = 0;      ///< into SiteTable::Functions
  std::string File;
  uint32_t Line = 0, Column = 0;
  uint32_t Offset = 0, Size = 0;
  uint32_t FirstBit = 0, Bits = 0;
  uint32_t Kind = Read, Marks = 0;
  uint32_t Element = 0; ///< not 0: of these Size bytes so many are accessed
  auto operator<=>(const Site &) const = default;
};

struct SourceFunction {
  std::string Name, File;
  uint32_t Line = 0;
};

/// A selected struct as the compiler laid it out.
struct StructLayout {
  std::string Name;
  uint32_t Size = 0;
  struct Element {
    uint32_t Offset, Size;
  };
  std::vector<Element> Elements;
};

/// Sites that one marker stands for, each so many times.
using Segment = std::map<uint32_t, uint32_t>;

/// One site no times: not an access, but where the runtime learns that an
/// object of the site's struct is there.
inline bool isTypeObservation(const Segment &S) {
  return S.size() == 1 && S.begin()->second == 0;
}

/// Everything that the table of a unit says before regions are known.
struct SiteTable {
  std::string MainFile;
  std::vector<StructLayout> Structs;
  std::vector<SourceFunction> Functions;
  std::vector<Site> Sites;
  std::vector<Segment> Segments;

  /// The number of the function of that name, added if need be.
  uint32_t function(const std::string &Name, const std::string &File,
                    uint32_t Line);
  /// The number of that site: equal sites are one.
  uint32_t site(const Site &S);

private:
  std::map<std::string, uint32_t> FunctionNumbers;
  std::map<Site, uint32_t> SiteNumbers;
};

/// Sites that run as a whole, and the sum of counters that is their count.
struct Region {
  uint32_t Function = 0; ///< whose code it is part of
  Segment Sites;
  struct Term {
    uint32_t Counter;
    int32_t Factor;
  };
  std::vector<Term> Terms;
};

} // namespace kst::counters
