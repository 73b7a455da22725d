// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/SubjectRecord.h"

#include <algorithm>

namespace kst {

static constexpr unsigned MaxNesting = 16;

SubjectRecord::SubjectRecord(const Program &Whole, const RecordPlaces &Places)
    : Whole(Whole), Places(Places),
      Id(static_cast<RecordId>(Whole.recordCount())) {}

SubjectRecord::SubjectRecord(const Program &Whole, const RecordPlaces &Places,
                             RecordId Id)
    : Whole(Whole), Places(Places), Id(Id),
      FieldCount(Whole.recordFact(Id).Fields.size()),
      SizeBytes(Whole.recordFact(Id).SizeBytes), Aims(Places.aims(Id)) {
  for (uint32_t Field = 0; Field != FieldCount; ++Field)
    if (RecordId Part = Whole.embedded(Id, Field); Part != None)
      addHomes(Part, Field, 0, 0);
  for (const auto &[Part, Fields] : Homes)
    countPlaces(Part);
}

SubjectRecord SubjectRecord::none(const Program &Whole,
                                  const RecordPlaces &Places) {
  SubjectRecord New(Whole, Places);
  for (RecordId Part = 0; Part != Whole.recordCount(); ++Part)
    if (Places.isBlock(Part))
      New.Homes[Part] = {None};
  return New;
}

SubjectRecord::Aim SubjectRecord::aim(RecordId Holder, uint32_t Number) const {
  auto It = Aims.find({Holder, Number});
  return It == Aims.end() ? Aim() : It->second;
}

void SubjectRecord::addHomes(RecordId Part, uint32_t Field, uint32_t Offset,
                             unsigned Depth) {
  std::vector<uint32_t> &Of = Homes[Part];
  if (std::ranges::find(Of, Field) != Of.end())
    return;
  Of.push_back(Field);
  HomeOffsets.try_emplace(Part, Offset);
  if (Depth == MaxNesting)
    return;
  uint32_t Count = Whole.recordFact(Part).Fields.size();
  for (uint32_t Inner = 0; Inner != Count; ++Inner)
    if (RecordId Deeper = Whole.embedded(Part, Inner); Deeper != None)
      addHomes(Deeper, Field,
               Offset + uint32_t(Whole.fieldFact(Part, Inner).OffsetBits / 8),
               Depth + 1);
}

size_t SubjectRecord::countPlaces(RecordId Part) {
  if (auto It = Counts.find(Part); It != Counts.end())
    return It->second;
  size_t Count = 0;
  for (const auto &[Holder, Field] : Places.holders(Part))
    Count += Holder == Id ? 1 : std::max<size_t>(1, countPlaces(Holder));
  return Counts[Part] = Count;
}

const std::vector<uint32_t> &SubjectRecord::homes(RecordId Part) const {
  auto It = Homes.find(Part);
  return It == Homes.end() ? Nowhere : It->second;
}

uint32_t SubjectRecord::homeOffset(RecordId Part) const {
  auto It = HomeOffsets.find(Part);
  return It == HomeOffsets.end() ? 0 : It->second;
}

void SubjectRecord::keepSpots(Effect &Of, uint32_t Field,
                              uint32_t Offset) const {
  const FieldFact &In = Whole.fieldFact(Id, Field);
  const uint64_t Bytes = In.SizeBits / 8;
  if (Bytes <= LeastSpottedBytes || Offset == None) {
    Of.Spots.clear();
    return;
  }
  Of.shift(Offset);
  // Rounded as far as the field's own address is known.
  const uint32_t Unit = std::min(SpotBytes, std::max(1u, In.AlignBytes));
  std::vector<Spot> Exact = std::move(Of.Spots);
  Of.Spots.clear();
  for (Spot &At : Exact)
    At.OffsetBytes = At.OffsetBytes / Unit * Unit;
  std::erase_if(Exact, [&](const Spot &At) { return At.OffsetBytes >= Bytes; });
  addSpots(Of.Spots, Exact, 1, 1);
}

std::vector<RecordId> SubjectRecord::parts() const {
  std::vector<RecordId> All;
  for (const auto &[Part, Fields] : Homes)
    All.push_back(Part);
  return All;
}

double SubjectRecord::share(RecordId Part) const {
  auto It = Counts.find(Part);
  if (!Homes.count(Part) || It == Counts.end() ||
      RecordPlaces::isBlock(It->second))
    return 0;
  return 1.0 / double(It->second + 1);
}

} // namespace kst
