// SPDX-License-Identifier: GPL-2.0-or-later
//
// "STRUCT:TEXT": which of several structs an option is about.

#pragma once

#include "hybrid/core/Result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kst {

struct Addressed {
  static constexpr size_t Every = ~size_t(0);
  size_t Struct = Every; ///< index into the structs that were named
  std::string Text;      ///< without the address

  bool concerns(size_t Index) const {
    return Struct == Every || Struct == Index;
  }
};

/// A file may have any name, so a beginning that names no struct is a part of
/// it; in front of anything else that is a usageError.
enum class AddressedText { Words, File };

/// Splits `Text` if it begins with one of `Structs` (as named, or without its
/// "@FILE" where that says enough) and a colon. The error offers the nearest
/// name.
Result<Addressed> parseAddress(const std::string &Text,
                               const std::vector<std::string> &Structs,
                               AddressedText Kind);

/// parseAddress() for what is about one struct only: without address it must
/// be the only one.
Result<Addressed> parseOneStruct(const std::string &Text,
                                 const std::vector<std::string> &Structs,
                                 AddressedText Kind);

} // namespace kst
