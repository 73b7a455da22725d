// SPDX-License-Identifier: GPL-2.0-or-later
//
// Members of a struct by where they lie.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kst {

/// A member, or one of a member: "cfs.h_nr_running".
struct MemberName {
  uint64_t OffsetBits = 0, SizeBits = 0;
  std::string Path;
};
using MemberNames = std::vector<MemberName>;

/// The path of the smallest member around that bit, the first of several; "" if
/// there is none.
inline std::string memberAt(const MemberNames &In, uint64_t Bit) {
  const MemberName *Best = nullptr;
  for (const MemberName &M : In)
    if (M.OffsetBits <= Bit && Bit < M.OffsetBits + M.SizeBits &&
        (!Best || M.SizeBits < Best->SizeBits))
      Best = &M;
  return Best ? Best->Path : std::string();
}

} // namespace kst
