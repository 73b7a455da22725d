// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the pass says about the counters of one unit: the blobs of section
// .kst_table (docs/guide/formats.md), believed here or not at all.

#pragma once

#include "hybrid/core/Result.h"
#include "passes/abi/kst_abi.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Rows as in the file; texts are offsets into Strings.
struct CounterTable {
  uint64_t Hash = 0;
  uint32_t Binary = 0; ///< which of the files given it is from; not in the file
  uint32_t Counters = 0;
  uint32_t MainFile = 0;
  std::vector<kst_table_record> Structs;
  std::vector<kst_table_element> Elements;
  std::vector<kst_table_function> Functions;
  std::vector<kst_table_site> Sites;
  std::vector<kst_table_region> Regions;
  std::vector<kst_table_reference> References;
  std::vector<kst_table_term> Terms;
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
