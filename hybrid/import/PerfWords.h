// SPDX-License-Identifier: GPL-2.0-or-later
//
// What single words of perf's text mean: symbols, programs, places in structs.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kst {

/// What is behind this many words of a line is not looked at.
inline constexpr size_t MostPerfWords = 64;

/// The source's name of a function: "f.constprop.0" and "f+0x12" are f.
std::string_view sourceFunction(std::string_view Symbol);

/// Hexadecimal digits, as many as an address has at most.
bool hexText(std::string_view Text);

/// Decimal, or hexadecimal with 0x: as printf's %#x.
std::optional<uint32_t> offsetOf(std::string_view Text);

/// Whether a program's name is that of a kernel or a module.
bool kernelDso(std::string_view Dso);

/// A place in a struct, by name, by offset, or both.
struct TypedPlace {
  std::string_view Struct, Field;
  uint32_t OffsetBytes = 0;
};

/// "struct rq +0x18 (cfs.nr_running)" or "struct rq.nr_running", from word At
/// on; "struct" may be missing.
std::optional<TypedPlace> placeAt(const std::vector<std::string_view> &Words,
                                  size_t At);

/// Where a taken branch went.
struct TakenBranch {
  std::string_view To;  ///< the symbol; "" if perf had none
  bool ToStart = false; ///< to its first instruction
};

/// An entry of a branch stack with symbols (-F brstacksym), as
/// "schedule+0x1f/__schedule+0x0/P/-/-/3": None if the word is no such entry,
/// or of a branch that was not taken.
std::optional<TakenBranch> takenBranch(std::string_view Word);

} // namespace kst
