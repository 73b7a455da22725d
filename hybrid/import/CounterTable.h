// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the pass says about the counters of one unit: the blobs of section
// .kst_table (docs/profile-formats.md), believed here or not at all.

#ifndef KST_HYBRID_IMPORT_COUNTERTABLE_H
#define KST_HYBRID_IMPORT_COUNTERTABLE_H

#include "hybrid/core/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Rows as in the file; texts are offsets into Strings.
struct CounterTable {
  struct Struct {
    uint32_t Name, SizeBytes, FirstElement, Elements;
  };
  struct Element {
    uint32_t OffsetBytes, SizeBytes;
  };
  struct Function {
    uint32_t Name, File, Line, Zero;
  };
  struct Site {
    uint32_t Struct, Function, File, Line, Column, OffsetBytes, SizeBytes;
    uint16_t FirstBit, Bits, Kind, Marks;
    uint32_t Zero;
  };
  struct Region {
    uint32_t Function, FirstReference, References, FirstTerm, Terms, Zero;
  };
  struct Reference {
    uint32_t Site, Times;
  };
  struct Term {
    uint32_t Counter;
    int32_t Factor; ///< 1 or -1
  };

  uint64_t Hash = 0;
  uint32_t Binary = 0; ///< which of the files given it is from; not in the file
  uint32_t Counters = 0;
  uint32_t MainFile = 0;
  std::vector<Struct> Structs;
  std::vector<Element> Elements;
  std::vector<Function> Functions;
  std::vector<Site> Sites;
  std::vector<Region> Regions;
  std::vector<Reference> References;
  std::vector<Term> Terms;
  std::string Strings;

  /// NUL-terminated, as long as the table lives.
  const char *text(uint32_t Offset) const { return Strings.c_str() + Offset; }
};

/// All blobs of one section, in its order. Whoever holds a table may follow
/// every number in it: each is in its range, ranges of structs and of regions
/// do not overlap, texts end. Anything else is a Failure that says at which
/// byte of the section the blob begins. Memory: at most twice that of Section.
Result<std::vector<CounterTable>> readCounterTables(std::string_view Section);

} // namespace kst

#endif
