// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines and words of foreign text, and the numbers in them, without copies.

#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kst {

/// Longer ones are nobody's: readers do not look into them.
inline constexpr size_t MaxLineBytes = 1 << 16;

/// What a format is recognized by.
inline constexpr size_t BytesToRecognize = 1 << 16;

/// Takes the first line off Text, without its end.
inline std::string_view takeLine(std::string_view &Text) {
  size_t End = Text.find('\n');
  std::string_view Line = Text.substr(0, End);
  Text.remove_prefix(End == Text.npos ? Text.size() : End + 1);
  if (Line.ends_with('\r'))
    Line.remove_suffix(1);
  return Line;
}

inline std::string_view trimmed(std::string_view Text) {
  size_t Begin = Text.find_first_not_of(" \t");
  if (Begin == Text.npos)
    return {};
  return Text.substr(Begin, Text.find_last_not_of(" \t") + 1 - Begin);
}

/// The words between blanks; what is behind the first Most is not looked at.
inline void wordsOf(std::string_view Line, size_t Most,
                    std::vector<std::string_view> &Words) {
  Words.clear();
  for (size_t At = 0; Words.size() < Most;) {
    At = Line.find_first_not_of(" \t", At);
    if (At == Line.npos)
      return;
    size_t End = Line.find_first_of(" \t", At);
    Words.push_back(Line.substr(At, End - At));
    if (End == Line.npos)
      return;
    At = End;
  }
}

inline std::optional<uint64_t> numberOf(std::string_view Text, int Radix = 10) {
  uint64_t Value;
  auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value, Radix);
  if (Error != std::errc() || End != Text.data() + Text.size() || Text.empty())
    return std::nullopt;
  return Value;
}

/// "1234.567891" or "1234.567891:" seconds, as nanoseconds, exactly.
inline std::optional<uint64_t> nanosecondsOf(std::string_view Text) {
  if (Text.ends_with(':'))
    Text.remove_suffix(1);
  size_t Dot = Text.find('.');
  auto Seconds = numberOf(Text.substr(0, Dot));
  if (!Seconds || *Seconds > 10'000'000'000 || Dot == Text.npos)
    return std::nullopt;
  std::string_view Digits = Text.substr(Dot + 1);
  auto Part = numberOf(Digits);
  if (!Part || Digits.size() > 9)
    return std::nullopt;
  uint64_t Nanoseconds = *Part;
  for (size_t I = Digits.size(); I < 9; ++I)
    Nanoseconds *= 10;
  return *Seconds * 1'000'000'000 + Nanoseconds;
}

} // namespace kst
