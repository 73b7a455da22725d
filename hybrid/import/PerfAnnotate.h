// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of `perf annotate --data-type`: blocks of a head, columns, and a row
// for each member of a type.

#pragma once

#include "hybrid/import/PerfCounts.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Takes the lines of one text in their order. Borrows To.
class PerfAnnotate {
public:
  explicit PerfAnnotate(PerfCounts &To) : To(To) {}

  /// False if the line is in no block, or no row of it.
  bool line(std::string_view Line);

private:
  /// Type and columns of the block, as far as it was read.
  struct Annotated {
    std::string Struct; ///< empty: in no block
    uint32_t Index = 0;
    bool Known = false; ///< Index is its number
    double Samples = 0;
    bool Kernel = false;      ///< by the name of the program
    bool Exact = false;       ///< the column counts samples
    std::vector<bool> Stores; ///< by column
    std::vector<std::string> Path;
  };
  bool begin(std::string_view Line);
  void columns();
  bool row(std::string_view Line);
  bool member(std::string_view Name, uint32_t OffsetBytes, uint32_t SizeBytes);

  PerfCounts &To;
  Annotated Block;
  std::vector<std::string_view> Words;
};

} // namespace kst
