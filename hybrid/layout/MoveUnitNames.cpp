// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/MoveUnitNames.h"

#include <algorithm>
#include <numeric>

namespace kst {

std::string quoted(const std::string &Text) {
  constexpr size_t Longest = 60;
  std::string Shown = Text.substr(0, Longest);
  for (char &C : Shown)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = '?';
  return "'" + Shown + (Text.size() > Longest ? "...'" : "'");
}

/// Letters that names have; '|' joins the members of an anonymous one, and
/// `{a|b|...+2}` is a long one.
static bool mayBeName(const std::string &Name) {
  constexpr size_t Longest = 4096;
  const bool Cut = Name.starts_with("{");
  auto Fits = [&](unsigned char C) {
    return C == '_' || C == '|' || (C >= '0' && C <= '9') ||
           (C >= 'A' && C <= 'Z') || (C >= 'a' && C <= 'z') || C >= 0x80 ||
           (Cut && (C == '{' || C == '}' || C == '.' || C == '+'));
  };
  return !Name.empty() && Name.size() <= Longest &&
         std::ranges::all_of(Name, Fits);
}

Result<std::vector<uint32_t>>
MoveUnitNames::fields(const std::string &Name) const {
  if (!mayBeName(Name))
    return Failure{quoted(Name) + " is not the name of a top-level field"};
  const RecordInfo &Record = Problem.record();
  for (uint32_t G = 0; G < Record.Groups.size(); ++G)
    if (Record.Groups[G].Name == Name) {
      auto [Begin, End] = groupFields(Record, G);
      std::vector<uint32_t> All(End - Begin);
      std::iota(All.begin(), All.end(), Begin);
      return All;
    }
  Result<uint32_t> First = fieldNamed(Record, Name);
  if (!First)
    return Failure{First.error()};
  std::vector<uint32_t> Found{*First};
  const auto &Fields = Record.Fields;
  if (!Fields[*First].Anonymous)
    for (uint32_t F = *First + 1; F < Fields.size(); ++F)
      if (Fields[F].Name == Name)
        Found.push_back(F);
  return Found;
}

std::vector<uint32_t>
MoveUnitNames::bricksOf(const std::vector<uint32_t> &Fields) const {
  std::vector<uint32_t> MoveUnits;
  for (uint32_t F : Fields)
    if (uint32_t U = Problem.rules().moveUnitOf(F);
        MoveUnits.empty() || MoveUnits.back() != U)
      MoveUnits.push_back(U);
  return MoveUnits;
}

std::string MoveUnitNames::bond(uint32_t MoveUnit) const {
  const std::vector<uint32_t> &Members =
      Problem.rules().bricks()[MoveUnit].Fields;
  for (const SourceRule &Rule : Problem.options().Rules)
    if (Rule.Kind == RuleKind::Join && Rule.Fields.size() > 1 &&
        Rule.Fields.front() >= Members.front() &&
        Rule.Fields.back() <= Members.back())
      return Rule.Why;
  return "adjacent bit-fields are one unit";
}

std::string MoveUnitNames::company(uint32_t MoveUnit,
                                   const std::vector<uint32_t> &Fields) const {
  constexpr size_t Named = 4;
  std::string Own, Others;
  size_t Count = 0;
  for (uint32_t F : Problem.rules().bricks()[MoveUnit].Fields) {
    const std::string &Name = Problem.record().Fields[F].Name;
    if (std::ranges::find(Fields, F) != Fields.end())
      Own += (Own.empty() ? "" : ", ") + quoted(Name);
    else if (++Count <= Named)
      Others += (Others.empty() ? "" : ", ") +
                (Name.empty() ? std::string("an unnamed one") : quoted(Name));
  }
  if (!Count)
    return {};
  if (Count > Named)
    Others += " and " + std::to_string(Count - Named) + " more";
  bool Several = Own.find(',') != std::string::npos;
  return Own + (Several ? " take " : " takes ") + Others + " with " +
         (Several ? "them: " : "it: ") + bond(MoveUnit);
}

} // namespace kst
