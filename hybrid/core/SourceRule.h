// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the source demands of the order of fields beyond the ABI: code that
// clears a range of members, a member that others cast to, a macro that makes
// several members, a line of the definition that no editor should cross. The
// front end finds such rules, the layout stage obeys them.

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

enum class RuleKind {
  ImmovableField, ///< Fields[0] stays, and no field crosses it
  Barrier,  ///< no field crosses the place just before Fields[0] (an index one
            ///< past the last field: the end)
  Join,     ///< Fields, adjacent and ascending, move as one unit
  AllFixed, ///< nothing may move; Fields is empty
  Closed ///< no new field goes before a field from Fields[0] to Fields[1] (one
         ///< past the last field: the end); those that are there may move
};

/// How sure it is that an order which breaks the rule breaks the program.
enum class RuleStrength {
  Hard, ///< it does: code that was looked at, or a comment that says "must"
  Soft  ///< evidence without a proof: a comment in vaguer words, records that
        ///< begin alike and are not seen to be converted
};

struct SourceRule {
  RuleKind Kind = RuleKind::ImmovableField;
  std::vector<uint32_t> Fields; ///< indices into RecordInfo::Fields
  std::string Why;              ///< a phrase for the report
  Site Where;                   ///< where the source demands it; may be empty
  /// By which a user lifts the rule: ruleId(). Rules of one reason (equal Id,
  /// Why and Where) are lifted together; RuleIds tells others apart.
  std::string Id = {};
  RuleStrength Strength = RuleStrength::Hard;
  /// Why no user can lift it, a phrase: "the build fails"; empty if one can.
  std::string Unliftable = {};
};

/// The id of the rule that a definition is not the project's to change.
inline constexpr std::string_view ForeignRule = "foreign";

/// "cast:next": what kind of demand it is, one word of [a-z-], and the field
/// that it speaks of, as far as it is an identifier; the topic alone for a rule
/// about the whole record. Needs no quoting in a shell.
inline std::string ruleId(std::string_view Topic, std::string_view Field = "") {
  size_t End = Field.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_");
  std::string Id(Topic);
  if (std::string_view Name = Field.substr(0, End); !Name.empty())
    Id.append(":").append(Name);
  return Id;
}

} // namespace kst
