// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/Numbers.h"

#include <charconv>
#include <cmath>

namespace kst {

double rounded(double Value) {
  if (!std::isfinite(Value) || Value == 0)
    return 0;
  char Text[64];
  auto Written = std::to_chars(Text, Text + sizeof(Text), Value,
                               std::chars_format::scientific, ReportDigits - 1);
  double Back = 0;
  std::from_chars(Text, Written.ptr, Back);
  return Back;
}

std::string fixed(double Value, int Digits) {
  if (!std::isfinite(Value))
    Value = 0;
  char Text[400]; // the largest double has 309 digits before the point
  auto Written = std::to_chars(Text, Text + sizeof(Text), Value,
                               std::chars_format::fixed, Digits);
  std::string Result(Text, Written.ptr);
  if (Result.find_first_not_of("-0.") == std::string::npos &&
      Result.front() == '-')
    Result.erase(0, 1);
  return Result;
}

std::string brief(double Value) {
  double Magnitude = std::fabs(Value);
  if (!std::isfinite(Value) || Value == 0)
    return "0";
  if (Magnitude < 1e-3 || Magnitude >= 1e6) {
    char Text[64];
    auto Written = std::to_chars(Text, Text + sizeof(Text), Value,
                                 std::chars_format::scientific, 2);
    return std::string(Text, Written.ptr);
  }
  int Digits = Magnitude >= 100  ? 0
               : Magnitude >= 10 ? 1
               : Magnitude >= 1  ? 2
                                 : 3;
  return fixed(Value, Digits);
}

std::string percent(double Share) {
  if (Share > 0 && Share < 0.0005)
    return "<0.1%";
  return fixed(Share * 100, 1) + "%";
}

std::string change(double Before, double After) {
  if (Before == 0 || !std::isfinite(Before) || !std::isfinite(After))
    return "";
  double Change = (After - Before) / Before;
  std::string Text = fixed(Change * 100, 1);
  return (Text.front() == '-' || Text == "0.0" ? "" : "+") + Text + "%";
}

std::string hexText(uint64_t Value) {
  char Digits[16];
  const auto End = std::to_chars(Digits, Digits + sizeof Digits, Value, 16).ptr;
  return "0x" + std::string(Digits, End);
}

std::string counted(uint64_t Count, const std::string &Singular) {
  const char *End = Count == 1 ? "" : Singular.ends_with('s') ? "es" : "s";
  return std::to_string(Count) + " " + Singular + End;
}

} // namespace kst
