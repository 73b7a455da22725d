// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of the kernel that the product knows: Names.def has them all, with what
// each kind means and where it is from. docs/design/vocabulary.md is written
// from it.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kst {

enum class NameKind : uint8_t {
#define KIND(Kind, Meaning) Kind,
#define NAMES(Kind, Source, Names)
#include "hybrid/vocabulary/Names.def"
};

/// Whether Name is of that kind.
bool isA(NameKind Kind, std::string_view Name);

/// The names of a kind, in the order of the table.
std::span<const std::string_view> namesOf(NameKind Kind);
/// What a name of the kind means.
std::string_view meaningOf(NameKind Kind);
/// What a kind of one pattern `text*` begins with.
std::string_view prefixOf(NameKind Kind);

/// A function that does what Kind says to its argument.
struct NameUse {
  static constexpr uint8_t Result = 0xff, Member = 0xfe;
  NameKind Kind;
  std::string_view Name; ///< a function, or record.field
  uint8_t Argument;
  uint8_t Other;
};

/// Every use from the first kind to the last, in the order of the table.
std::span<const NameUse> usesOf(NameKind First, NameKind Last);

/// What a function does in the life of an object; empty for one that is not
/// known. Underscores in front and endings of a Variant do not matter.
std::span<const NameUse> lifetimeRoles(std::string_view Function);

/// A name that says that its function is seldom entered from outside.
bool isRareName(std::string_view Function);

/// A function that by its name only asks, as `xa_load` or `mutex_is_locked`:
/// what its pointers lead to is read, though they may not be to const.
bool isAskingName(std::string_view Function);

} // namespace kst
