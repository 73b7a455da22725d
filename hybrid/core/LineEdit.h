// SPDX-License-Identifier: GPL-2.0-or-later
//
// A change of the source that gives data cache lines of their own: what a
// remedy means, before it is text.

#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace kst {

struct LineEdit {
  enum Kind : uint8_t {
    None,          ///< nothing that can be written safely
    AlignVariable, ///< it begins at a multiple of Bytes
    AlignMember, ///< it begins at a multiple of Bytes, and so does what follows
    PadRecord,   ///< Bytes more at its end
    AlignBlock,  ///< malloc() there gives whole multiples of Bytes
    SpreadIndex, ///< an array of numbers: Factor times as large, aligned to
                 ///< Bytes, every index times Factor
    SpreadMember,  ///< the same of an array that is a member
    SpreadPointer, ///< the same of a block that one variable leads to
  } What = None;
  std::string File;  ///< as facts name it
  uint32_t Line = 0; ///< of the definition, or of the call
  std::string Name;  ///< of the variable, or the record
  /// Of a member its name; of a local variable the function's key.
  std::string Part;
  uint64_t Bytes = 0;
  uint32_t Factor = 0;

  auto operator<=>(const LineEdit &) const = default;
};

} // namespace kst
