// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which field of a record before a change is which after it.

#pragma once

#include "hybrid/core/Record.h"

#include <cstdint>
#include <vector>

namespace kst {

inline constexpr uint32_t NoField = ~0u;

struct FieldPairs {
  std::vector<uint32_t> BaseOf; ///< per field of the head; NoField: new
  std::vector<uint32_t> HeadOf; ///< per field of the base; NoField: removed
  std::vector<bool> Moved;      ///< per field of the head: among the others
  std::vector<bool> Renamed;    ///< per field of the head
};

/// Fields of one name are one; so is a field of another name that has the size
/// and type, and stands beside the same fields, of one that is gone. Moved are
/// the fewest whose moves make the order.
FieldPairs pairFields(const RecordInfo &Base, const RecordInfo &Head);

/// Whether the records are laid out alike: the same names, places and sizes.
/// Lines of the text do not count.
bool sameLayout(const RecordInfo &Base, const RecordInfo &Head);

} // namespace kst
