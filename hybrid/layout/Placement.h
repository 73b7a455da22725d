// SPDX-License-Identifier: GPL-2.0-or-later
//
// What an engineer demands of the answer: `--pin FIELD=...`. A demand says
// something about the finished order, not about moves, so searches see it as a
// price that no gain outweighs.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/core/Result.h"

#include <cstdint>
#include <span>
#include <string>

namespace kst {

enum class PlacementKind {
  Stay,  ///< FIELD: a immovable field; it stays and nothing crosses it
  First, ///< FIELD=first: at offset 0
  Last,  ///< FIELD=last: after every other field but a flexible array
  Line,  ///< FIELD=line:N: its first and last byte on line N of the record
  With,  ///< FIELD=with:OTHER: their first bytes on the same line
  Apart, ///< FIELD=apart:OTHER: no line holds bytes of both
};

struct Placement {
  PlacementKind Kind = PlacementKind::Stay;
  uint32_t Field = 0; ///< index into RecordInfo::Fields
  uint32_t Other = 0; ///< With, Apart
  uint32_t Line = 0;  ///< Line: counted from 0
  std::string Text;   ///< as given, for messages
  bool Asked = true;  ///< by --pin; else one of keptApart()
};

/// Parses FIELD[=first|last|line:N|with:OTHER|apart:OTHER] for a record. The
/// error says what is wrong and what was expected.
Result<Placement> parsePlacement(const RecordInfo &Record,
                                 const std::string &Text);

/// The field of that name, or an error that offers the nearest names.
Result<uint32_t> fieldNamed(const RecordInfo &Record, const std::string &Name);

/// True if an order with these offsets meets the demand, in a record that
/// starts on a line. `Order` and `OffsetBits` as in Layout.
bool meets(const Placement &Demand, const RecordInfo &Record,
           std::span<const uint32_t> Order,
           std::span<const uint64_t> OffsetBits, uint32_t LineBytes);

} // namespace kst
