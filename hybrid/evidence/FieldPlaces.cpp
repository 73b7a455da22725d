// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/FieldPlaces.h"

#include "hybrid/evidence/SiteKinds.h"

#include <algorithm>

namespace kst {

uint32_t fieldOfPath(const RecordInfo &Record, std::string_view Top) {
  Top = Top.substr(0, Top.find_first_of(".[-"));
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Of = Record.Fields[F];
    if ((!Top.empty() && Of.Name == Top) ||
        std::ranges::find(Of.Members, Top) != Of.Members.end())
      return F;
  }
  return None;
}

std::vector<uint32_t> fieldsAt(const RecordInfo &Record,
                               const MeasuredSite &Site,
                               std::string_view Path) {
  if (!Path.empty()) {
    uint32_t Field = fieldOfPath(Record, Path);
    return Field == None ? std::vector<uint32_t>()
                         : std::vector<uint32_t>{Field};
  }
  uint64_t Begin = Site.OffsetBytes * 8ull + Site.FirstBit;
  uint64_t End = Site.Bits ? Begin + Site.Bits
                           : Begin + std::max<uint64_t>(1, Site.SizeBytes) * 8;
  std::vector<uint32_t> Fields;
  for (uint32_t F = 0; F != Record.Fields.size(); ++F) {
    const FieldInfo &Of = Record.Fields[F];
    if (Of.ZeroSize || Of.Absent || Of.OffsetBits >= End ||
        Of.OffsetBits + Of.SizeBits <= Begin)
      continue;
    Fields.push_back(F);
    if (!isBulk(Site.Kind))
      break;
  }
  return Fields;
}

bool mayLackCounts(const RecordInfo &Record, uint32_t Field) {
  // Neighbours are accessed together, in registers of 64 bits at most.
  constexpr uint64_t MostBits = 64;
  for (uint32_t F = 0; F <= Field; ++F)
    if (!Record.Fields[F].Absent && !Record.Fields[F].BitField)
      return false;
  return !Record.Fields[Field].Absent &&
         Record.Fields[Field].OffsetBits < MostBits;
}

} // namespace kst
