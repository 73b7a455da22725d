// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kst {

uint64_t fnv1a(std::string_view Text) {
  uint64_t Hash = 0xcbf29ce484222325;
  for (unsigned char C : Text)
    Hash = (Hash ^ C) * 0x100000001b3;
  return Hash;
}

uint64_t hash64(std::string_view Bytes) {
  return XXH3_64bits(Bytes.data(), Bytes.size());
}

Hash128 hash128(std::string_view Bytes) {
  XXH128_hash_t H = XXH3_128bits(Bytes.data(), Bytes.size());
  return {H.low64, H.high64};
}

std::string Hash128::hex() const {
  std::string Text;
  for (uint64_t Half : {High, Low})
    for (int Shift = 60; Shift >= 0; Shift -= 4)
      Text += "0123456789abcdef"[(Half >> Shift) & 15];
  return Text;
}

} // namespace kst
