// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which struct of a program leads to which, by pointers and by what it holds,
// out of debug information.

#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// A member of a struct that is one, or a pointer to one. Members of structs
/// without a name are those of the struct around them.
struct DebugLink {
  std::string Member;
  uint64_t OffsetBytes = 0; ///< of an array: of its first element
  std::string To;           ///< tag, or typedef of a struct without one
  bool Held = false;        ///< else a pointer
};

struct LinkedStruct {
  std::string Name;
  uint64_t SizeBytes = 0;
  std::vector<DebugLink> Links;
};

/// All structs and unions with a name, the first definition of each. An error
/// names a file that is no ELF file, or says why debug information, or a part
/// of it, cannot be read.
llvm::Expected<std::vector<LinkedStruct>> debugLinks(const std::string &File);

} // namespace kst
