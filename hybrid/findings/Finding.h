// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a reader of a report should look at: one sentence about one struct, with
// a kind, a grade and an identity that survives other lines and names of
// configurations.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kst {

enum class FindingKind {
  // Of a change, or of a layout against an earlier one.
  FalseSharing, ///< a field is written beside others that other CPUs use
  WriteAdded,   ///< code writes a field more often that lies beside such
  HotLineGrew,  ///< visits touch more lines for the same fields
  BetterPlace,  ///< a new field has a cheaper place
  LineMore,     ///< the struct takes more lines
  LeftGroup,    ///< a field left its cacheline group
  WrongGroup,   ///< a field is in a group whose name the code contradicts
  Assertion,    ///< a build-time assertion about a group fails
  // Of a layout against an earlier one.
  SizeGrew,   ///< the struct has more bytes
  CostGrew,   ///< the layout costs more than the earlier one
  SplitField, ///< a used field crosses the end of a line
  Gone,       ///< a struct is not there any more
  // Of the kernel's cacheline groups.
  OtherPath,       ///< a member is used with another group's fields
  UnusedMember,    ///< no code uses a member
  MissingMember,   ///< a field outside is used as the members are
  Unasserted,      ///< a member without the assertion that the others have
  DoubleAssertion, ///< one assertion twice
  // Of the kernel's tables about them.
  NoSuchStruct,   ///< a table of a struct that is not there
  NoSuchField,    ///< a row names none
  NoSuchFunction, ///< a row names one that no file has
  MissingRow,     ///< a field without one
  DoubleRow,      ///< a field with two
  RowType,        ///< a row has another type than the field
  RowGroup,       ///< a row contradicts the group that the field is in
  RowCode,        ///< a row contradicts what the code does
  RowFunction,    ///< a function that a row names does not use the field
};

/// The kinds that a command may find, in the order of the enumeration.
std::span<const FindingKind> reviewKinds();
std::span<const FindingKind> baselineKinds();
std::span<const FindingKind> groupKinds();

enum class Grade { Low, Medium, High };

/// "false-sharing", ...; "low", ...
const char *toWord(FindingKind Kind);
const char *toWord(Grade How);
/// What a kind is about, for people who see only the list of kinds.
const char *about(FindingKind Kind);
/// Of any command.
std::optional<FindingKind> parseFindingKind(const std::string &Word);
std::optional<Grade> parseGrade(const std::string &Word);

struct Finding {
  FindingKind Kind = FindingKind::FalseSharing;
  Grade How = Grade::Low;
  std::string Struct;
  /// The field it is about, then others that belong to its identity.
  std::vector<std::string> Fields;
  std::string Said;                ///< one sentence without its full stop
  std::vector<std::string> Why;    ///< more sentences
  std::vector<std::string> Config; ///< configurations, as they were given
  std::string File;                ///< relative
  uint32_t Line = 0; ///< of what it is about: field, struct, row of a table
  double Share = 0;  ///< of the struct's cost, where a price is behind it
  /// By how much, where --fail-on can name an amount: a share, 0.05 for 5 %,
  /// or whole lines.
  double Amount = 0;

  /// Kind, struct and fields; never lines or configurations.
  std::string key() const;
  /// key() as 16 hexadecimal digits.
  std::string fingerprint() const;
};

/// What every report with findings has.
struct FindingList {
  std::vector<std::string> Configs;
  std::vector<Finding> Findings; ///< by grade, share, identity
  uint32_t Suppressed = 0;
  uint32_t Omitted = 0; ///< findings beyond the most that are kept
};

} // namespace kst
