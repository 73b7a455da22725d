// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/PassedStates.h"

#include "hybrid/vocabulary/Vocabulary.h"

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
  std::map<std::pair<FunctionId, uint32_t>, bool> Seen;
  for (const std::vector<PassedObject> &Objects : ByCaller)
    for (const PassedObject &Passed : Objects)
      Seen[{Passed.Callee, Passed.Param}] = true;
  addCallbacks(Whole, Seen);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (FunctionId Caller = 0; Caller != ByCaller.size(); ++Caller)
      for (const PassedObject &Passed : ByCaller[Caller]) {
        LifeState::Kind Kind = Passed.State.What;
        if (Kind == LifeState::Open) {
          std::pair<FunctionId, uint32_t> From(Caller, Passed.State.Param);
          if (Passed.State.Param == LifeState::NoParam)
            Kind = LifeState::Steady;
          else if (auto It = States.find(From); It != States.end())
            Kind = It->second;
          else if (!Seen.count(From))
            Kind = LifeState::Steady; // nobody calls it here
          else
            continue;
        }
        auto [It, New] =
            States.try_emplace({Passed.Callee, Passed.Param}, LifeState::Open);
        LifeState::Kind Both = meet(It->second, Kind);
        Changed |= New || Both != It->second;
        It->second = Both;
      }
  }
}

/// Functions in tables through which nobody calls here.
void PassedStates::addCallbacks(
    const Program &Whole,
    const std::map<std::pair<FunctionId, uint32_t>, bool> &Seen) {
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
        FunctionId Id = Whole.functionByKey(Whole.string(Unit, Table.Function));
        if (Id != None && !Seen.count({Id, Use.Argument}))
          States[{Id, Use.Argument}] = Use.Kind == NameKind::TearDownCallback
                                           ? LifeState::TearDown
                                           : LifeState::SetUp;
      }
    }
}

LifeState::Kind PassedStates::of(FunctionId Function, uint32_t Param) const {
  auto It = States.find({Function, Param});
  return It == States.end() ? LifeState::Steady : It->second;
}

} // namespace kst
