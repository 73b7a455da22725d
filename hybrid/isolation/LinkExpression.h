// SPDX-License-Identifier: GPL-2.0-or-later
//
// Expressions of linker scripts, as maps repeat them.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kst {

/// What an expression can ask for. Each gives nothing for what it does not
/// know, and then the expression has no value.
struct SymbolValues {
  uint64_t Dot = 0;
  std::function<std::optional<uint64_t>(const std::string &)> Symbol, AddressOf,
      SizeOf;
};

/// The value, modulo 2^64; nothing if the text is no expression, or uses what
/// is not known here. Operators and their precedence are C's.
std::optional<uint64_t> evaluate(std::string_view Text, const SymbolValues &In);

} // namespace kst
