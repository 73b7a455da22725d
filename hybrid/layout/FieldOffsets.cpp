// SPDX-License-Identifier: GPL-2.0-or-later
//
// See FieldOffsets.h. The bit-field rules follow
// ItaniumRecordLayoutBuilder::LayoutBitField in clang/lib/AST.

#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <numeric>

namespace kst {

/// `Align`: a power of two.
static uint64_t alignUp(uint64_t Value, uint64_t Align) {
  return (Value + Align - 1) & ~(Align - 1);
}

FieldOffsets::FieldOffsets(const RecordInfo &Record)
    : AlignBytes(std::max(1u, Record.AlignBytes)), Union(Record.Union) {
  for (const GroupInfo &From : Record.Groups)
    Groups.push_back({From.Parent, 8ull * std::max(1u, From.AlignBytes)});
  Slots.reserve(Record.Fields.size());
  for (const FieldInfo &Field : Record.Fields) {
    Slot S;
    S.SizeBits = Field.SizeBits;
    S.Present = !Field.Absent;
    S.Group = Field.Group;
    const uint32_t Align = std::max(Field.AlignBytes, Field.WantedAlignBytes);
    S.AlignBits = Field.Absent ? 1 : 8ull * std::max(1u, Align);
    if (!Field.Absent)
      AlignBytes = std::max(AlignBytes, Field.WantedAlignBytes);
    if (Field.BitField) {
      S.UnitBits = std::max<uint64_t>(8, Field.StorageUnitBits);
      S.ExplicitBits = 8ull * Field.ExplicitAlignBytes;
      // Packing leaves a bit-field no alignment but the one asked for; it
      // does not apply to a bit-field of width zero.
      if (Record.Packed || Field.Packed)
        S.AlignBits =
            std::max<uint64_t>(Field.SizeBits ? 1 : S.UnitBits, S.ExplicitBits);
    }
    Slots.push_back(S);
  }
}

uint64_t FieldOffsets::start(const Slot &S, uint64_t Cursor) {
  if (!S.UnitBits)
    return alignUp(Cursor, S.AlignBits);
  if (S.SizeBits == 0 || Cursor % S.AlignBits + S.SizeBits > S.UnitBits)
    return alignUp(Cursor, S.AlignBits);
  return S.ExplicitBits ? alignUp(Cursor, S.ExplicitBits) : Cursor;
}

bool FieldOffsets::isInside(uint32_t Group, uint32_t Around) const {
  while (Group != Around && Group != NoGroup)
    Group = Groups[Group].Parent;
  return Group == Around;
}

/// Where the next field may start after some groups end and others begin.
uint64_t FieldOffsets::pass(uint32_t From, uint32_t To, uint64_t Cursor) const {
  for (; !isInside(To, From); From = Groups[From].Parent)
    Cursor = alignUp(Cursor, Groups[From].AlignBits);
  uint64_t Align = 1; // of those that begin: the largest implies the others
  for (; To != From; To = Groups[To].Parent)
    Align = std::max(Align, Groups[To].AlignBits);
  return alignUp(Cursor, Align);
}

uint64_t FieldOffsets::place(std::span<const uint32_t> Order,
                             std::vector<uint64_t> &OffsetBits) const {
  OffsetBits.resize(Slots.size());
  uint64_t Cursor = 0, End = 0;
  uint32_t Within = NoGroup;
  for (uint32_t Field : Order) {
    const Slot &S = Slots[Field];
    if (S.Group != Within && S.Present) {
      Cursor = pass(Within, S.Group, Cursor);
      Within = S.Group;
    }
    uint64_t At = Union ? 0 : start(S, Cursor);
    OffsetBits[Field] = At;
    Cursor = At + S.SizeBits;
    End = std::max(End, Cursor);
  }
  End = std::max(End, pass(Within, NoGroup, Cursor));
  return alignUp(alignUp(End, 8) / 8, AlignBytes);
}

Layout FieldOffsets::layout(std::span<const uint32_t> Order) const {
  Layout Plan;
  Plan.Order.assign(Order.begin(), Order.end());
  Plan.SizeBytes = place(Order, Plan.OffsetBits);
  Plan.AlignBytes = AlignBytes;
  return Plan;
}

std::vector<uint32_t> declarationOrder(const RecordInfo &Record) {
  std::vector<uint32_t> Order(Record.Fields.size());
  std::iota(Order.begin(), Order.end(), 0u);
  return Order;
}

Layout statedLayout(const RecordInfo &Record) {
  Layout Plan;
  Plan.Order = declarationOrder(Record);
  for (const FieldInfo &Field : Record.Fields)
    Plan.OffsetBits.push_back(Field.OffsetBits);
  Plan.SizeBytes = Record.SizeBytes;
  Plan.AlignBytes = Record.AlignBytes;
  return Plan;
}

std::string offsetMismatch(const RecordInfo &Record) {
  RecordInfo Now = Record;
  for (FieldInfo &Field : Now.Fields)
    Field.WantedAlignBytes = 0;
  Layout Ours = FieldOffsets(Now).layout(declarationOrder(Record));
  auto Bits = [](uint64_t Value) {
    std::string Text = std::to_string(Value / 8);
    return Value % 8 ? Text + ":" + std::to_string(Value % 8) : Text;
  };
  for (size_t F = 0; F < Record.Fields.size(); ++F) {
    const FieldInfo &Field = Record.Fields[F];
    if (!Field.Absent && Field.OffsetBits != Ours.OffsetBits[F])
      return "field '" + Field.Name + "' (number " + std::to_string(F) +
             ") of '" + Record.Name + "' is at byte " + Bits(Field.OffsetBits) +
             ", our rules put it at " + Bits(Ours.OffsetBits[F]);
  }
  if (Record.SizeBytes != Ours.SizeBytes)
    return "'" + Record.Name + "' has " + std::to_string(Record.SizeBytes) +
           " bytes, our rules give it " + std::to_string(Ours.SizeBytes);
  return {};
}

bool reproduces(const RecordInfo &Record) {
  return offsetMismatch(Record).empty();
}

} // namespace kst
