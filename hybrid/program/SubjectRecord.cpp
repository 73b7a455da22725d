// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/SubjectRecord.h"

#include <algorithm>

namespace kst {

/// A record held by value in more places than this is a building block, such
/// as a list head: a bare pointer to it does not tell whose it is.
static constexpr unsigned BuildingBlock = 8;
static constexpr unsigned MaxNesting = 16;

SubjectRecord::SubjectRecord(const Program &Whole, RecordId Id)
    : Whole(Whole), Id(Id), FieldCount(Whole.recordFact(Id).Fields.size()) {
  for (uint32_t Field = 0; Field != FieldCount; ++Field)
    if (RecordId Part = Whole.embedded(Id, Field); Part != None)
      addHomes(Part, Field, 0);
  for (RecordId Holder = 0; Holder != Whole.recordCount(); ++Holder) {
    uint32_t Count = Whole.recordFact(Holder).Fields.size();
    for (uint32_t Field = 0; Field != Count; ++Field)
      if (RecordId Part = Whole.embedded(Holder, Field);
          Part != None && Homes.count(Part))
        ++Places[Part];
  }
  addAims();
}

void SubjectRecord::addAims() {
  std::map<std::pair<RecordId, uint32_t>, std::map<uint32_t, unsigned>> Into;
  std::map<std::pair<RecordId, uint32_t>, unsigned> All;
  for (FunctionId Of = 0; Of != Whole.Functions.size(); ++Of) {
    const LinkedFunction &Function = Whole.Functions[Of];
    const TuFacts &Facts = Whole.unitOf(Of);
    auto ValueAt = [&](uint32_t Local) -> const ValueFact & {
      return Facts.Values[Function.Fact->Values.Begin + Local];
    };
    Range Stores = Function.Fact->Stores;
    for (const StoreFact &Store : rowsOf(Facts.Stores, Stores)) {
      const ValueFact &Place = ValueAt(Store.Address);
      if (Place.Kind != ValueKind::Field)
        continue;
      std::pair<RecordId, uint32_t> Pointer{
          Whole.record(Function.Unit, Place.B), Place.C};
      ++All[Pointer];
      uint32_t At = Store.Stored;
      while (ValueAt(At).Kind == ValueKind::Field ||
             ValueAt(At).Kind == ValueKind::Element) {
        const ValueFact &Step = ValueAt(At);
        if (Step.Kind == ValueKind::Field &&
            Whole.record(Function.Unit, Step.B) == Id) {
          ++Into[Pointer][Step.C];
          break;
        }
        At = Step.A;
      }
    }
  }
  for (const auto &[Pointer, Fields] : Into) {
    auto Most =
        std::ranges::max_element(Fields, [](const auto &A, const auto &B) {
          return A.second < B.second;
        });
    Aims[Pointer] = {Most->first, double(Most->second) / All[Pointer]};
  }
}

SubjectRecord::Aim SubjectRecord::aim(RecordId Holder, uint32_t Number) const {
  auto It = Aims.find({Holder, Number});
  return It == Aims.end() ? Aim() : It->second;
}

void SubjectRecord::addHomes(RecordId Part, uint32_t Field, unsigned Depth) {
  std::vector<uint32_t> &Of = Homes[Part];
  if (std::ranges::find(Of, Field) != Of.end())
    return;
  Of.push_back(Field);
  if (Depth == MaxNesting)
    return;
  uint32_t Count = Whole.recordFact(Part).Fields.size();
  for (uint32_t Inner = 0; Inner != Count; ++Inner)
    if (RecordId Deeper = Whole.embedded(Part, Inner); Deeper != None)
      addHomes(Deeper, Field, Depth + 1);
}

const std::vector<uint32_t> &SubjectRecord::homes(RecordId Part) const {
  auto It = Homes.find(Part);
  return It == Homes.end() ? Nowhere : It->second;
}

double SubjectRecord::share(RecordId Part) const {
  auto It = Places.find(Part);
  if (It == Places.end() || It->second > BuildingBlock)
    return 0;
  return 1.0 / (It->second + 1);
}

} // namespace kst
