// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/findings/Finding.h"

#include "hybrid/core/Hash.h"

#include <cstdio>

namespace kst {

namespace {

struct KindWords {
  FindingKind Kind;
  const char *Word, *About;
};

constexpr KindWords AllKinds[] = {
    {FindingKind::FalseSharing, "false-sharing",
     "A field is written beside fields that other CPUs use"},
    {FindingKind::WriteAdded, "write-added",
     "Code writes a field that lies beside fields that other CPUs read"},
    {FindingKind::HotLineGrew, "hot-line-grew",
     "Visits touch more cache lines for the same fields"},
    {FindingKind::BetterPlace, "better-place",
     "A new or moved field has a cheaper place"},
    {FindingKind::LineMore, "line-more", "A struct takes more cache lines"},
    {FindingKind::LeftGroup, "left-group", "A field left its cacheline group"},
    {FindingKind::WrongGroup, "wrong-group",
     "A field is in a cacheline group that the code contradicts"},
    {FindingKind::Assertion, "assertion",
     "A build-time assertion about a cacheline group fails"},
    {FindingKind::SizeGrew, "size", "A struct has more bytes"},
    {FindingKind::CostGrew, "cost",
     "A layout costs more than that of the baseline"},
    {FindingKind::SplitField, "split",
     "A used field crosses the end of a cache line"},
    {FindingKind::Gone, "gone", "A struct is not there any more"},
    {FindingKind::OtherPath, "other-path",
     "A member of a cacheline group is used with the fields of another"},
    {FindingKind::UnusedMember, "unused-member",
     "No code uses a member of a cacheline group"},
    {FindingKind::MissingMember, "missing-member",
     "A field outside of a cacheline group is used as its members are"},
    {FindingKind::Unasserted, "unasserted",
     "A member of a cacheline group lacks the assertion that others have"},
    {FindingKind::DoubleAssertion, "double-assertion",
     "An assertion about a cacheline group is there twice"},
    {FindingKind::NoSuchStruct, "no-such-struct",
     "A table is about a struct that does not exist"},
    {FindingKind::NoSuchField, "no-such-field",
     "A row names a field that does not exist"},
    {FindingKind::NoSuchFunction, "no-such-function",
     "A row names a function that does not exist"},
    {FindingKind::MissingRow, "missing-row", "A field has no row"},
    {FindingKind::DoubleRow, "double-row", "A field has two rows"},
    {FindingKind::RowType, "row-type", "A row has another type than the field"},
    {FindingKind::RowGroup, "row-group",
     "A row contradicts the cacheline group that the field is in"},
    {FindingKind::RowCode, "row-code",
     "A row contradicts what the code does with the field"},
    {FindingKind::RowFunction, "row-function",
     "A function that a row names does not use the field"},
};

const KindWords &wordsOf(FindingKind Kind) {
  return AllKinds[static_cast<size_t>(Kind)];
}

} // namespace

std::span<const FindingKind> reviewKinds() {
  static constexpr FindingKind Kinds[] = {
      FindingKind::FalseSharing, FindingKind::WriteAdded,
      FindingKind::HotLineGrew,  FindingKind::BetterPlace,
      FindingKind::LineMore,     FindingKind::LeftGroup,
      FindingKind::WrongGroup,   FindingKind::Assertion};
  return Kinds;
}

std::span<const FindingKind> baselineKinds() {
  static constexpr FindingKind Kinds[] = {
      FindingKind::FalseSharing, FindingKind::HotLineGrew,
      FindingKind::BetterPlace,  FindingKind::LineMore,
      FindingKind::LeftGroup,    FindingKind::WrongGroup,
      FindingKind::SizeGrew,     FindingKind::CostGrew,
      FindingKind::SplitField,   FindingKind::Gone};
  return Kinds;
}

std::span<const FindingKind> groupKinds() {
  static constexpr FindingKind Kinds[] = {
      FindingKind::WrongGroup,     FindingKind::OtherPath,
      FindingKind::UnusedMember,   FindingKind::MissingMember,
      FindingKind::Unasserted,     FindingKind::DoubleAssertion,
      FindingKind::NoSuchStruct,   FindingKind::NoSuchField,
      FindingKind::NoSuchFunction, FindingKind::MissingRow,
      FindingKind::DoubleRow,      FindingKind::RowType,
      FindingKind::RowGroup,       FindingKind::RowCode,
      FindingKind::RowFunction};
  return Kinds;
}

const char *toWord(FindingKind Kind) { return wordsOf(Kind).Word; }
const char *about(FindingKind Kind) { return wordsOf(Kind).About; }

const char *toWord(Grade How) {
  return How == Grade::High ? "high" : How == Grade::Medium ? "medium" : "low";
}

std::optional<FindingKind> parseFindingKind(const std::string &Word) {
  for (const KindWords &One : AllKinds)
    if (Word == One.Word)
      return One.Kind;
  return std::nullopt;
}

std::optional<Grade> parseGrade(const std::string &Word) {
  for (Grade How : {Grade::Low, Grade::Medium, Grade::High})
    if (Word == toWord(How))
      return How;
  return std::nullopt;
}

std::string Finding::key() const {
  std::string Key = std::string(toWord(Kind)) + " " + Struct;
  for (const std::string &Field : Fields)
    Key += "." + Field;
  return Key;
}

std::string Finding::fingerprint() const {
  char Text[17];
  std::snprintf(Text, sizeof(Text), "%016llx",
                static_cast<unsigned long long>(hash64(key())));
  return Text;
}

} // namespace kst
