// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which caches there are and how large they are: from words of the command line
// or from what the machine says about itself.

#pragma once

#include "hybrid/core/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kst {

/// L1 and L2 belong to one CPU each; all CPUs share the last level.
enum class CacheLevel : uint8_t { L1, L2, Llc };
inline constexpr unsigned CacheLevels = 3;

/// `l1`, `l2` or `llc`.
const char *spelling(CacheLevel Level);

/// One cache: sets of `Ways` lines each. No set: there is no such cache.
struct CacheShape {
  uint64_t Sets = 0; ///< any number, a power of two or not
  uint32_t Ways = 0; ///< 1: direct mapped

  bool exists() const { return Sets != 0; }
  uint64_t lines() const { return Sets * Ways; }
  bool operator==(const CacheShape &) const = default;
};

struct CacheGeometry {
  std::array<CacheShape, CacheLevels> Shapes; ///< by CacheLevel; at least one
                                              ///< exists
  uint32_t LineBytes = 64; ///< a power of two from 16 to 65536

  CacheShape &operator[](CacheLevel Level) { return Shapes[size_t(Level)]; }
  const CacheShape &operator[](CacheLevel Level) const {
    return Shapes[size_t(Level)];
  }
  bool operator==(const CacheGeometry &) const = default;
};

/// Reads `l1=32K/8,l2=1M/16,llc=16M/16,line=64`: size and ways of each level,
/// in any order, each at most once; a level that is not named does not exist,
/// and without `line` a line has 64 bytes. Ways are a number or `full`. A
/// failure names the part that is wrong and says what is expected.
Result<CacheGeometry> parseCacheGeometry(std::string_view Text);

/// The words that parseCacheGeometry() reads.
std::string spelling(const CacheGeometry &Geometry);

/// The caches of the first CPU of this machine. A level 2 that several CPUs
/// share without a level 3 behind it is the last level. `CpuRoot`: the
/// directory `cpu` of sysfs. Fails if the machine does not say, as some guests
/// do not.
Result<CacheGeometry>
machineCacheGeometry(const std::string &CpuRoot = "/sys/devices/system/cpu");

} // namespace kst
