// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code uses which static data.

#pragma once

#include <cstdint>
#include <optional>

namespace kst {

/// One instruction, or one word of data, and the static data that it names.
struct DataUse {
  uint64_t Code = 0, Data = 0; ///< addresses
  bool InData = false;         ///< Code is that of a word with the address
  bool Load = false, Store = false;
  bool Taken = false;   ///< neither: the address itself, for others to use
  bool Indexed = false; ///< with a register added: anywhere from Data on
  /// Of a store that the instruction itself has the value for.
  std::optional<int64_t> Constant;
};

} // namespace kst
