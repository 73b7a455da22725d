// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Counterpart.h"

#include "hybrid/review/FieldPairs.h"

#include <algorithm>
#include <string_view>

namespace kst {

Counterparts::Counterparts(const Program &Base, const Program &Head)
    : Base(Base), Head(Head), UnitsOf(Head.recordCount()) {
  // A file under several commands is as many units, in the same order.
  using Command = std::pair<std::string_view, uint32_t>;
  std::map<std::string_view, uint32_t> Seen;
  auto CommandOf = [&](const TuFacts &Unit) {
    const std::string_view File = Unit.Strings[Unit.MainFile];
    return Command(File, Seen[File]++);
  };
  std::map<Command, uint32_t> Units;
  for (uint32_t U = 0; U != Base.unitCount(); ++U) {
    const TuFacts &Unit = Base.unit(U);
    Units.emplace(CommandOf(Unit), U);
    for (uint32_t R = 0; R != Unit.Records.size(); ++R)
      Named[{U, Base.string(U, Unit.Records[R].Name)}].push_back(
          Base.record(U, R));
  }
  Seen.clear();
  for (uint32_t U = 0; U != Head.unitCount(); ++U) {
    const TuFacts &Unit = Head.unit(U);
    const auto Same = Units.find(CommandOf(Unit));
    if (Same != Units.end())
      for (uint32_t R = 0; R != Unit.Records.size(); ++R)
        UnitsOf[Head.record(U, R)].push_back(Same->second);
  }
}

std::optional<RecordInfo> Counterparts::ofName(RecordId Id,
                                               const RecordInfo &Record) const {
  std::optional<RecordInfo> Same, Elsewhere;
  const StrId Name = Base.Strings.find(Record.Name);
  for (uint32_t Unit : UnitsOf[Id]) {
    const auto Found = Named.find({Unit, Name});
    if (Found == Named.end())
      continue;
    for (RecordId Old : Found->second) {
      RecordInfo Was = Base.recordInfo(Old);
      if (Was.Union != Record.Union)
        continue;
      if (Was.File != Record.File)
        Elsewhere = std::move(Was);
      else if (!sameLayout(Was, Record))
        return Was;
      else
        Same = std::move(Was);
    }
  }
  return Same ? Same : Elsewhere;
}

std::optional<RecordInfo>
Counterparts::underAnotherName(const RecordInfo &Record) const {
  for (RecordId Id = 0; Id != Base.recordCount(); ++Id) {
    const RecordFact &Fact = Base.recordFact(Id);
    if (Base.recordText(Id, Fact.File) != Record.File ||
        Fact.Fields.size() != Record.Fields.size() || !Fact.Fields.size())
      continue;
    RecordInfo Was = Base.recordInfo(Id);
    if (Was.Union == Record.Union && Head.recordsNamed(Was.Name).empty() &&
        std::ranges::equal(Was.Fields, Record.Fields, {}, &FieldInfo::Name,
                           &FieldInfo::Name))
      return Was;
  }
  return std::nullopt;
}

std::optional<RecordInfo> Counterparts::of(RecordId Id) const {
  if (UnitsOf[Id].empty())
    return std::nullopt;
  const RecordInfo Record = Head.recordInfo(Id);
  if (auto Found = ofName(Id, Record))
    return Found;
  return underAnotherName(Record);
}

std::vector<std::string> changedWithin(const RecordInfo &Base,
                                       const RecordInfo &Head) {
  if (!std::ranges::equal(
          Base.Fields, Head.Fields, [](const FieldInfo &A, const FieldInfo &B) {
            return A.Name == B.Name &&
                   A.ExplicitAlignBytes == B.ExplicitAlignBytes &&
                   (A.TypeName == B.TypeName || A.Anonymous);
          }))
    return {};
  std::vector<std::string> Names;
  for (size_t F = 0; F != Base.Fields.size(); ++F)
    if (Base.Fields[F].SizeBits != Head.Fields[F].SizeBits ||
        Base.Fields[F].AlignBytes != Head.Fields[F].AlignBytes)
      Names.push_back(Head.Fields[F].Name);
  return Names;
}

} // namespace kst
