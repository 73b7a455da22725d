// SPDX-License-Identifier: GPL-2.0-or-later
//
// Values of a map's expressions during one walk over it.

#pragma once

#include "hybrid/isolation/LinkExpression.h"
#include "hybrid/isolation/LinkReplay.h"

namespace kst {

/// Refers to what it is made of.
class MapValues {
public:
  /// `Now`: what the walk has reached; of all else `Before` is asked.
  MapValues(const LinkMap &Map, const LinkPlacement &Now,
            const SymbolValue &Symbol, const LinkPlacement *Before);
  MapValues(const MapValues &) = delete;
  MapValues &operator=(const MapValues &) = delete;
  std::optional<uint64_t> of(const std::string &Text, uint64_t Dot);
  /// The second argument of DATA_SEGMENT_RELRO_END, 0 if it has no value.
  uint64_t relroOffset(const std::string &Text, uint64_t Dot);

private:
  std::map<std::string, size_t> Parts;
  SymbolValues In;
};

inline uint64_t aligned(uint64_t Value, uint64_t To) {
  return To > 1 ? (Value + To - 1) / To * To : Value;
}
/// Where an output section begins.
uint64_t startOf(const PartRule &Rule, uint64_t Dot, uint64_t Was);

/// `. = DATA_SEGMENT_ALIGN (...)` of GNU ld's own scripts.
bool isDataStart(const MapStatement &S);
bool isRelroEnd(const MapStatement &S);
/// Leaves the location counter where it is; maps have another pass's value.
bool isDataEnd(const MapStatement &S);

} // namespace kst
