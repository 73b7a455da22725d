// SPDX-License-Identifier: GPL-2.0-or-later
//
// A variable with static storage, as debug information describes it.

#pragma once

#include "hybrid/core/MemberName.h"

#include <cstdint>
#include <string>

namespace kst {

struct GlobalVariable {
  uint64_t Address = 0, SizeBytes = 0;
  std::string Name, Type; ///< of arrays: of the elements; "" without a name
  std::string File;       ///< of the source that defines it, from its top
  uint32_t Line = 0;
  /// Of arrays: elements of the first dimension, and bytes from one to the
  /// next. Number 0: no array.
  uint64_t Number = 0, StrideBytes = 0;
  MemberNames Members = {}; ///< of the struct that it or its elements are
};

} // namespace kst
