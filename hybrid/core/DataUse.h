// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code uses which static data, and which code leads to which.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// From one instruction to another place of the code.
struct CodeEdge {
  enum Kind : uint8_t {
    Call,
    Jump,  ///< back, or to where a function begins
    Taken, ///< the address of a function, for others to call
  };
  uint64_t Code = 0; ///< of the instruction, or of a word of data
  uint64_t To = 0;   ///< 0: to another file
  Kind What = Call;
  std::string Import; ///< of another file: the symbol, "" if it is not known
};

struct ImageUses {
  std::vector<DataUse> Data;
  std::vector<CodeEdge> Edges; ///< of programs and libraries
};

} // namespace kst
