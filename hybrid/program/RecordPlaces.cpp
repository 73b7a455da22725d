// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/RecordPlaces.h"

#include <algorithm>

namespace kst {

/// A record held by value in more places than this is a building block.
static constexpr unsigned MostPlaces = 8;

RecordPlaces::RecordPlaces(const Program &Whole)
    : Holders(Whole.recordCount()), Inner(Whole.recordCount()) {
  for (RecordId Holder = 0; Holder != Whole.recordCount(); ++Holder) {
    const uint32_t Count = Whole.recordFact(Holder).Fields.size();
    for (uint32_t Field = 0; Field != Count; ++Field)
      if (RecordId Part = Whole.embedded(Holder, Field); Part != None)
        Holders[Part].emplace_back(Holder, Field);
  }
  for (FunctionId Of = 0; Of != Whole.Functions.size(); ++Of) {
    const LinkedFunction &Function = Whole.Functions[Of];
    const TuFacts &Facts = Whole.unitOf(Of);
    auto ValueAt = [&](uint32_t Local) -> const ValueFact & {
      return Facts.Values[Function.Fact->Values.Begin + Local];
    };
    for (const StoreFact &Store : rowsOf(Facts.Stores, Function.Fact->Stores)) {
      const ValueFact &Place = ValueAt(Store.Address);
      if (Place.Kind != ValueKind::Field)
        continue;
      const FieldId Pointer{Whole.record(Function.Unit, Place.B), Place.C};
      ++Stores[Pointer];
      std::vector<RecordId> Seen; // the innermost step of each record
      for (uint32_t At = Store.Stored; ValueAt(At).Kind == ValueKind::Field ||
                                       ValueAt(At).Kind == ValueKind::Element;
           At = ValueAt(At).A) {
        const ValueFact &Step = ValueAt(At);
        if (Step.Kind != ValueKind::Field)
          continue;
        const RecordId Record = Whole.record(Function.Unit, Step.B);
        if (Record == None || std::ranges::find(Seen, Record) != Seen.end())
          continue;
        Seen.push_back(Record);
        Inner[Record].push_back({Pointer, Step.C});
      }
    }
  }
}

bool RecordPlaces::isBlock(size_t Count) { return Count > MostPlaces; }

std::map<FieldId, RecordPlaces::Aim> RecordPlaces::aims(RecordId Id) const {
  std::map<FieldId, std::map<uint32_t, unsigned>> Into;
  for (const Pointed &Of : Inner[Id])
    ++Into[Of.Pointer][Of.Field];
  std::map<FieldId, Aim> Aims;
  for (const auto &[Pointer, Fields] : Into) {
    auto Most =
        std::ranges::max_element(Fields, [](const auto &A, const auto &B) {
          return A.second < B.second;
        });
    Aims[Pointer] = {Most->first, double(Most->second) / Stores.at(Pointer)};
  }
  return Aims;
}

} // namespace kst
