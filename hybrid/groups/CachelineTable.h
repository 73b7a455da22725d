// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's tables of how the fast path uses the fields of a struct:
// Documentation/networking/net_cachelines/*.rst. Columns stand below their
// heads, but not all rows keep to them, and some cells are empty.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

struct TableRow {
  std::string Type, Name; ///< as written: "struct_list_head", "name[16]"
  std::string Tx, Rx;     ///< "read_mostly", "-", ...; "" for an empty cell
  /// Words of the comment that look like functions, in their order, each once.
  std::vector<std::string> Functions;
  uint32_t Line = 0;

  /// Name without the bounds of an array.
  std::string field() const { return Name.substr(0, Name.find('[')); }
  /// Whether a cell says that the path uses it.
  static bool isUse(const std::string &Cell) {
    return !Cell.empty() && Cell != "-";
  }
  static bool isWrite(const std::string &Cell) {
    return Cell.find("write") != std::string::npos;
  }
};

struct CachelineTable {
  std::string Struct; ///< "" for a table of something else
  std::string File;
  uint32_t Line = 0; ///< of the heads of the columns
  std::vector<TableRow> Rows;
};

/// The tables of a text; none if no line has the heads "Type" and "Name".
std::vector<CachelineTable> cachelineTables(const std::string &Text,
                                            const std::string &File);

} // namespace kst
