// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where in a field that is larger than a line an access goes: of `struct inode
// vfs_inode` a visit wants i_size, not the first byte.

#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kst {

/// Where a visit touches a field, among other places.
struct Spot {
  uint32_t OffsetBytes = 0; ///< from the field's start
  double Probability = 0;   ///< 0..1: the visit touches it
  double Writes = 0;        ///< expected number per visit
  auto operator<=>(const Spot &) const = default;
};

/// Offsets are rounded down to it, or to the alignment of the field.
inline constexpr uint32_t SpotBytes = 8;
/// Of an effect; the most probable are kept.
inline constexpr size_t MaxSpots = 16;
/// Fields up to this size have no spots: no line is smaller.
inline constexpr uint64_t LeastSpottedBytes = 64;

/// Adds others, which happen so often and so many times in the same visit. All
/// are sorted by offset.
inline void addSpots(std::vector<Spot> &To, const std::vector<Spot> &Others,
                     double ByProbability, double Times) {
  for (const Spot &Other : Others) {
    auto At =
        std::ranges::lower_bound(To, Other.OffsetBytes, {}, &Spot::OffsetBytes);
    if (At == To.end() || At->OffsetBytes != Other.OffsetBytes)
      At = To.insert(At, {Other.OffsetBytes, 0, 0});
    const double P = std::min(1.0, Other.Probability * ByProbability);
    At->Probability = 1 - (1 - At->Probability) * (1 - P);
    At->Writes += Other.Writes * Times;
  }
  while (To.size() > MaxSpots)
    To.erase(std::ranges::min_element(To, {}, &Spot::Probability));
}

} // namespace kst
