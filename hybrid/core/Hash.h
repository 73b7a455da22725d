// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one place that knows which hash names contents in our files: XXH3 of
// xxHash (BSD-2-Clause, Debian libxxhash-dev), seed 0, the same value on every
// machine. It guards against accidents, not against an adversary.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kst {

/// FNV-1a, 64 bits: of texts that other programs name by it, too.
uint64_t fnv1a(std::string_view Text);

/// XXH3, 64 bits: checksum of a file against truncation and bit rot.
uint64_t hash64(std::string_view Bytes);

/// XXH3, 128 bits: stands for the contents of a file or a command.
struct Hash128 {
  uint64_t Low = 0, High = 0;
  bool operator==(const Hash128 &) const = default;
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
};
Hash128 hash128(std::string_view Bytes);

} // namespace kst
