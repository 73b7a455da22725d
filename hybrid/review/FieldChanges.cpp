// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fields that are new, gone, moved, or beside others than before.

#include "hybrid/review/StructFindings.h"

namespace kst {

static std::optional<FieldFate> fateOf(const ComparedStruct &Struct,
                                       uint32_t F) {
  if (Struct.isNew(F))
    return FieldFate::New;
  if (Struct.isMoved(F))
    return FieldFate::Moved;
  if (Struct.isGrown(F))
    return FieldFate::Grown;
  if (Struct.Pairs.Renamed[F])
    return FieldFate::Renamed;
  if (Struct.beside(F) != Struct.besideBefore(F))
    return FieldFate::Shifted;
  return std::nullopt;
}

static FieldChange fieldChange(const ComparedStruct &Struct, uint32_t F,
                               FieldFate Fate) {
  const FieldInfo &Info = Struct.Record.Fields[F];
  FieldChange Field;
  Field.Name = Info.Name;
  Field.Type = Info.TypeName;
  Field.Fate = Fate;
  Field.Line = Info.Line;
  Field.HeadBits = Info.OffsetBits;
  if (!Struct.isNew(F)) {
    const FieldInfo &Was = Struct.Base.Fields[Struct.Pairs.BaseOf[F]];
    Field.BaseBits = Was.OffsetBits;
    if (Was.Name != Field.Name)
      Field.Was = Was.Name;
  }
  Field.Reads = Struct.perVisit(Struct.Head.Fields[F].Reads);
  Field.Writes = Struct.perVisit(Struct.Head.Fields[F].Writes);
  FieldUsers Who = usersOf(Struct.Head, F);
  Field.Readers = std::move(Who.Readers);
  Field.Writers = std::move(Who.Writers);
  for (const LineMate &Mate : Struct.lineMates(F))
    if (!Mate.Before)
      Field.Beside.push_back({Struct.name(Mate.Field), Mate.Share});
  const ComparedStruct::Fields Near = Struct.beside(F);
  for (uint32_t Mate : Struct.besideBefore(F))
    if (!Near.contains(Mate) && !Struct.name(Mate).empty())
      Field.Lost.push_back(Struct.name(Mate));
  return Field;
}

/// By its number in the base.
static FieldChange removedField(const ComparedStruct &Struct, uint32_t InBase) {
  const FieldInfo &Was = Struct.Base.Fields[InBase];
  FieldChange Field;
  Field.Name = Was.Name;
  Field.Type = Was.TypeName;
  Field.Fate = FieldFate::Removed;
  Field.BaseBits = Was.OffsetBits;
  return Field;
}

std::vector<FieldChange> fieldChanges(const ComparedStruct &Struct) {
  std::vector<FieldChange> Changes;
  for (uint32_t F = 0; F != Struct.fieldCount(); ++F) {
    if (!Struct.isReal(F))
      continue;
    const std::optional<FieldFate> Fate = fateOf(Struct, F);
    if (!Fate)
      continue;
    FieldChange Field = fieldChange(Struct, F, *Fate);
    // Its other neighbors may have no names.
    if (Fate != FieldFate::Shifted || !Field.Beside.empty() ||
        !Field.Lost.empty())
      Changes.push_back(std::move(Field));
  }
  for (uint32_t B = 0; B != Struct.Pairs.HeadOf.size(); ++B)
    if (Struct.Pairs.HeadOf[B] == NoField &&
        !Struct.Base.Fields[B].Name.empty())
      Changes.push_back(removedField(Struct, B));
  return Changes;
}

} // namespace kst
