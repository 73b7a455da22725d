// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/core/PatchName.h"

namespace kst {

namespace {

/// What stands behind a backslash for what.
constexpr std::string_view Letters = "abtnvfr\"\\",
                           Meant = "\a\b\t\n\v\f\r\"\\";

bool isOctal(std::string_view Digits) {
  return Digits.size() == 3 &&
         Digits.find_first_not_of("01234567") == std::string_view::npos;
}

} // namespace

std::string quotedName(std::string_view Name) {
  std::string Written;
  bool Quoted = false;
  for (unsigned char C : Name) {
    const size_t Letter = Meant.find(static_cast<char>(C));
    if (Letter == std::string_view::npos && C >= 0x20 && C < 0x7f) {
      Written += static_cast<char>(C);
      continue;
    }
    Quoted = true;
    Written += '\\';
    if (Letter != std::string_view::npos)
      Written += Letters[Letter];
    else
      for (int Shift : {6, 3, 0})
        Written += static_cast<char>('0' + (C >> Shift & 7));
  }
  return Quoted ? '"' + Written + '"' : Written;
}

std::string headingName(std::string_view Name) {
  const bool Blank = Name.find(' ') != std::string_view::npos;
  return quotedName(Name) + (Blank ? "\t" : "");
}

std::optional<std::string> takeQuotedName(std::string_view &Text) {
  if (!Text.starts_with('"'))
    return std::nullopt;
  std::string Name;
  for (size_t I = 1; I < Text.size(); ++I) {
    if (Text[I] == '"') {
      Text.remove_prefix(I + 1);
      return Name;
    }
    if (Text[I] != '\\') {
      Name += Text[I];
      continue;
    }
    const std::string_view Escape = Text.substr(I + 1, 3);
    if (isOctal(Escape)) {
      Name += static_cast<char>((Escape[0] - '0') * 64 + (Escape[1] - '0') * 8 +
                                Escape[2] - '0');
      I += 3;
      continue;
    }
    const size_t Letter =
        Escape.empty() ? std::string_view::npos : Letters.find(Escape[0]);
    if (Letter == std::string_view::npos)
      return std::nullopt;
    Name += Meant[Letter];
    ++I;
  }
  return std::nullopt;
}

} // namespace kst
