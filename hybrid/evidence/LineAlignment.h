// SPDX-License-Identifier: GPL-2.0-or-later
//
// One function in two versions of its source, by what its lines do with a
// struct: which line of the one is which of the other.

#pragma once

#include "hybrid/facts/Facts.h"

#include <cstdint>
#include <map>
#include <span>

namespace kst {

/// What is done to a field, as far as both sides can tell.
enum class AccessClass : uint8_t { Read, Write, BulkRead, BulkWrite, Address };

/// One access in one version of a function.
struct LineAccess {
  int32_t Line = 0;    ///< from that of the function's name
  uint32_t Column = 0; ///< 0: not known
  AccessClass Class = AccessClass::Read;
  uint32_t Field = None; ///< of the analysed struct; None: not known
  bool operator==(const LineAccess &) const = default;
};

/// Lines of one version -> lines of the other.
using LineMap = std::map<int32_t, int32_t>;

/// The lines with accesses of fields that are known, at lines of the new
/// version that do the same: in order, each at most once, as many accesses as
/// can be; of equally good ones those that stayed where they were. Both sorted
/// by line. Lines without a partner are left out. Deterministic; time: product
/// of the numbers of lines, and beyond a million of that nothing.
LineMap alignLines(std::span<const LineAccess> Old,
                   std::span<const LineAccess> New);

/// Where a line went: as the nearest mapped line before it, else the nearest
/// behind it, else it stayed.
int32_t movedLine(const LineMap &Lines, int32_t Line);

} // namespace kst
