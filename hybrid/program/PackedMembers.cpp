// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/PackedMembers.h"

#include <algorithm>
#include <bit>

namespace kst {

namespace {

/// What its largest scalar would want, in bytes.
uint64_t wantedBytes(const Program &Whole, RecordId Packed) {
  constexpr uint64_t Most = 8;
  uint64_t Wanted = 1;
  for (uint32_t F = 0; F != Whole.recordFact(Packed).Fields.size(); ++F)
    if (const uint64_t Bytes = Whole.fieldFact(Packed, F).SizeBits / 8;
        std::has_single_bit(Bytes))
      Wanted = std::max(Wanted, std::min(Bytes, Most));
  return Wanted;
}

} // namespace

std::vector<SourceRule> packedMemberRules(const Program &Whole, RecordId Id) {
  std::vector<SourceRule> Rules;
  const RecordInfo Record = Whole.recordInfo(Id);
  if (Record.Union || (Whole.recordFact(Id).Flags & RecPacked))
    return Rules;
  for (uint32_t F = 1; F < Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F], &Before = Record.Fields[F - 1];
    const RecordId Held = Whole.embedded(Id, F);
    if (Held == None || !(Whole.recordFact(Held).Flags & RecPacked) ||
        Field.BitField || Field.Group != NoGroup || Before.Group != NoGroup)
      continue;
    const uint64_t Wanted = wantedBytes(Whole, Held);
    if (Field.AlignBytes >= Wanted || Field.OffsetBits % (8 * Wanted))
      continue;
    const bool Carried =
        Before.AlignBytes >= Wanted &&
        Before.OffsetBits + Before.SizeBits == Field.OffsetBits;
    Rules.push_back(
        {Carried ? RuleKind::Join : RuleKind::ImmovableField,
         Carried ? std::vector<uint32_t>{F - 1, F} : std::vector<uint32_t>{F},
         "it is packed, and only what is in front of it aligns it to " +
             std::to_string(Wanted) + " bytes",
         {},
         ruleId("packed", Field.Name),
         RuleStrength::Soft});
  }
  return Rules;
}

} // namespace kst
