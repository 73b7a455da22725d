// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/ValidText.h"

namespace kst {

/// Bytes of the character that Text begins with; 0 if it begins with none
/// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
static size_t characterLength(std::string_view Text) {
  auto At = [&](size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0u;
  };
  const unsigned Lead = At(0);
  if (Lead < 0x80)
    return 1;
  const size_t Length = Lead >= 0xc2 && Lead < 0xe0   ? 2
                        : Lead >= 0xe0 && Lead < 0xf0 ? 3
                        : Lead >= 0xf0 && Lead < 0xf5 ? 4
                                                      : 0;
  for (size_t I = 1; I < Length; ++I)
    if ((At(I) & 0xc0) != 0x80)
      return 0;
  const bool Wrong =
      (Lead == 0xe0 && At(1) < 0xa0) || (Lead == 0xed && At(1) >= 0xa0) ||
      (Lead == 0xf0 && At(1) < 0x90) || (Lead == 0xf4 && At(1) >= 0x90);
  return Wrong ? 0 : Length;
}

std::string validText(std::string_view Text) {
  constexpr std::string_view Digits = "0123456789abcdef";
  std::string Valid;
  while (!Text.empty()) {
    size_t Length = characterLength(Text);
    if (Length) {
      Valid += Text.substr(0, Length);
    } else {
      const unsigned char Byte = Text[Length++];
      Valid += "\\x";
      Valid += Digits[Byte >> 4];
      Valid += Digits[Byte & 15];
    }
    Text.remove_prefix(Length);
  }
  return Valid;
}

} // namespace kst
