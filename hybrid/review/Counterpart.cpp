// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/Counterpart.h"

#include <algorithm>

namespace kst {

std::optional<RecordInfo> counterpart(const Program &Base,
                                      const RecordInfo &Record,
                                      const Program &Head) {
  std::optional<RecordInfo> Elsewhere;
  for (RecordId Id : Base.recordsNamed(Record.Name)) {
    RecordInfo Was = Base.recordInfo(Id);
    if (Was.Union != Record.Union)
      continue;
    if (Was.File == Record.File)
      return Was;
    Elsewhere = std::move(Was);
  }
  if (Elsewhere)
    return Elsewhere;
  // Under another name: in the same file, with the same fields, and gone.
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
