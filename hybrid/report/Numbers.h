// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers as text, the same bytes in every locale. Reports are compared byte
// by byte, so no renderer formats a number in any other way.

#pragma once

#include <cstdint>
#include <string>

namespace kst {

/// Significant digits of every number in a JSON report.
inline constexpr int ReportDigits = 6;

/// Value rounded to ReportDigits significant digits; 0 for NaN and infinity,
/// and never -0.
double rounded(double Value);

/// Fixed notation with Digits decimals, "." as the decimal point.
std::string fixed(double Value, int Digits);

/// Three significant digits, without an exponent for 1e-3 <= Value < 1e6.
std::string brief(double Value);

/// A share 0..1 as "41.2%"; "<0.1%" for what is there but would show as zero.
std::string percent(double Share);

/// The change from Before to After as "-45.3%"; "" when Before is 0.
std::string change(double Before, double After);

/// An address: "0x1f40".
std::string hexText(uint64_t Value);

/// "1 field", "2 fields", "2 accesses".
std::string counted(uint64_t Count, const std::string &Singular);

} // namespace kst
