// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stores that no order of fields is about: to scalars and their arrays behind a
// pointer, as malloc() gives them.

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <cstdint>
#include <string>

namespace kst {

/// Stores through one pointer.
struct ScalarStore {
  std::string Pointer; ///< a variable, or `record.member`
  Site Where;          ///< the first
  uint32_t Places = 0; ///< lines of the source
};

} // namespace kst
