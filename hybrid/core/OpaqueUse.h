// SPDX-License-Identifier: GPL-2.0-or-later
//
// Places where code reaches the memory of a record by something else than its
// members, and no rule follows: whether an order is legal there, a person must
// say.

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <string>
#include <tuple>

namespace kst {

struct OpaqueUse {
  std::string What; ///< a phrase: "uses bytes at an offset that varies"
  Site Where;
  bool operator<(const OpaqueUse &Other) const {
    return std::tie(Where.File, Where.Line, Where.Function, What) <
           std::tie(Other.Where.File, Other.Where.Line, Other.Where.Function,
                    Other.What);
  }
  bool operator==(const OpaqueUse &Other) const {
    return !(*this < Other) && !(Other < *this);
  }
};

} // namespace kst
