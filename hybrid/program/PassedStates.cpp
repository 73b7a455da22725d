// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/PassedStates.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <bit>

namespace kst {

namespace {

LifeState::Kind meet(LifeState::Kind A, LifeState::Kind B) {
  if (B == LifeState::FirstUse)
    B = LifeState::Steady;
  if (A == B || B == LifeState::Open)
    return A;
  if (A == LifeState::Open)
    return B;
  bool Private = A != LifeState::Steady && B != LifeState::Steady;
  return Private ? LifeState::TearDown : LifeState::Steady;
}

} // namespace

/// States are Open until a caller is seen. A state only goes down from there,
/// so the rounds end.
PassedStates::PassedStates(
    const Program &Whole,
    const std::vector<std::vector<PassedObject>> &ByCaller) {
  std::set<Passed> Seen;
  for (const std::vector<PassedObject> &Objects : ByCaller)
    for (const PassedObject &Object : Objects)
      Seen.emplace(Object.Callee, Object.Param);
  addCallbacks(Whole, Seen);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (FunctionId Caller = 0; Caller != ByCaller.size(); ++Caller)
      for (const PassedObject &Object : ByCaller[Caller]) {
        LifeState::Kind Kind = Object.State.What;
        if (Kind == LifeState::Open) {
          Kind = of(Caller, Object.State.Params, Seen);
          if (Kind == LifeState::Open)
            continue;
        }
        auto [It, New] =
            States.try_emplace({Object.Callee, Object.Param}, LifeState::Open);
        LifeState::Kind Both = meet(It->second, Kind);
        Changed |= New || Both != It->second;
        It->second = Both;
      }
  }
}

/// Functions in tables through which nobody calls here.
void PassedStates::addCallbacks(const Program &Whole,
                                const std::set<Passed> &Seen) {
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const TableFact &Table : Whole.unit(Unit).Tables) {
      if (Table.Record == None)
        continue;
      const TuFacts &Facts = Whole.unit(Unit);
      const RecordFact &Record = Facts.Records[Table.Record];
      const FieldFact &Field = Facts.Fields[Record.Fields.Begin + Table.Field];
      const std::string Name =
          Facts.Strings[Record.Name] + '.' + Facts.Strings[Field.Name];
      for (const NameUse &Use :
           usesOf(NameKind::TearDownCallback, NameKind::SetUpCallback)) {
        if (Use.Name != Name)
          continue;
        FunctionId Id =
            Whole.functionByKey(Unit, Whole.string(Unit, Table.Function));
        if (Id != None && !Seen.contains({Id, Use.Argument}))
          States[{Id, Use.Argument}] = Use.Kind == NameKind::TearDownCallback
                                           ? LifeState::TearDown
                                           : LifeState::SetUp;
      }
    }
}

/// Open: nothing is known but that callers have not told.
LifeState::Kind PassedStates::of(FunctionId Function, uint32_t Params,
                                 const std::set<Passed> &Untold) const {
  LifeState::Kind All = Params ? LifeState::Open : LifeState::Steady;
  for (uint32_t Bits = Params; Bits; Bits &= Bits - 1) {
    const Passed Key(Function, std::countr_zero(Bits));
    if (auto It = States.find(Key); It != States.end())
      All = meet(All, It->second);
    else if (!Untold.contains(Key))
      All = LifeState::Steady; // nobody calls it here
  }
  return All;
}

} // namespace kst
