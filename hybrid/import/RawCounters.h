// SPDX-License-Identifier: GPL-2.0-or-later
//
// Raw counters as the runtimes write them (docs/guide/formats.md): bytes that
// another machine or a crashing program may have left, believed here or not at
// all.

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

struct RawCounters {
  std::map<std::string, std::string> Text; ///< key=value lines of the header
  /// Hash of a unit's table: its counters.
  std::map<uint64_t, std::vector<uint64_t>> Units;
  /// The part of Units that threads other than the main one counted; none for
  /// a unit that only the main thread ran.
  std::map<uint64_t, std::vector<uint64_t>> Others;
  /// fnv1a() of a struct's name: counts by address, [2 * offset + (write ? 1 :
  /// 0)].
  std::map<uint64_t, std::vector<uint64_t>> Objects;
};

/// Whether bytes look like raw counters.
bool looksLikeRawCounters(std::string_view Bytes);

/// Records of one hash and kind are added up. Damage, a file without its end, a
/// record of another size than one of the same hash, and sums that do not fit
/// 64 bits are a Failure that says where. Memory: at most 8 times the size of
/// Bytes.
Result<RawCounters> readRawCounters(std::string_view Bytes);

} // namespace kst
