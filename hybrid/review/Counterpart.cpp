// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Counterpart.h"

#include "hybrid/review/FieldPairs.h"

#include <algorithm>
#include <string_view>

namespace kst {

Counterparts::Counterparts(const Program &Base, const Program &Head)
    : Base(Base), Head(Head), UnitsOf(Head.recordCount()) {
  using Units = std::map<std::string_view, std::vector<uint32_t>>;
  auto UnitsByFile = [](const Program &Of) {
    Units Found;
    for (uint32_t U = 0; U != Of.unitCount(); ++U)
      Found[Of.unit(U).Strings[Of.unit(U).MainFile]].push_back(U);
    return Found;
  };
  const Units Old = UnitsByFile(Base);
  for (uint32_t U = 0; U != Base.unitCount(); ++U)
    for (uint32_t R = 0; R != Base.unit(U).Records.size(); ++R)
      Named[{U, Base.string(U, Base.unit(U).Records[R].Name)}].push_back(
          Base.record(U, R));
  for (const auto &[File, New] : UnitsByFile(Head)) {
    const auto Same = Old.find(File);
    if (Same == Old.end())
      continue;
    // A file under several commands is as many units, in the same order; unless
    // one of them could not be parsed before.
    const bool Paired = Same->second.size() == New.size();
    for (size_t I = 0; I != New.size(); ++I)
      for (uint32_t R = 0; R != Head.unit(New[I]).Records.size(); ++R) {
        const RecordId Id = Head.record(New[I], R);
        if (Paired) {
          UnitsOf[Id].push_back(Same->second[I]);
          continue;
        }
        UnitsOf[Id].insert(UnitsOf[Id].end(), Same->second.begin(),
                           Same->second.end());
        Unpaired.insert(Id);
      }
  }
}

std::optional<RecordInfo> Counterparts::ofName(RecordId Id,
                                               const RecordInfo &Record) const {
  std::optional<RecordInfo> Same, Other, Elsewhere;
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
      else if (sameLayout(Was, Record))
        Same = std::move(Was);
      else if (Unpaired.contains(Id))
        Other = std::move(Was);
      else
        return Was;
    }
  }
  return Same ? Same : Other ? Other : Elsewhere;
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
