// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Program.h"

#include "hybrid/core/NamesLike.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/facts/FactsRecord.h"

#include "hybrid/program/Callbacks.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <tuple>

namespace kst {

StrId StringPool::intern(const std::string &Text) {
  auto [It, New] = Ids.try_emplace(Text, Texts.size());
  if (New)
    Texts.push_back(&Text);
  return It->second;
}

StrId StringPool::find(std::string_view Text) const {
  auto It = Ids.find(Text);
  return It == Ids.end() ? None : It->second;
}

Program::Program(const std::vector<TuFacts> &Given) {
  for (const TuFacts &Unit : Given)
    Units.push_back(&Unit);
  // Whatever order the units came in, the program is the same.
  std::ranges::stable_sort(Units, [](const TuFacts *A, const TuFacts *B) {
    return A->Strings[A->MainFile] < B->Strings[B->MainFile];
  });
  StringMaps.resize(Units.size());
  RecordMaps.resize(Units.size());
  for (uint32_t Unit = 0; Unit != Units.size(); ++Unit)
    addUnit(Unit);
  addTables();
  markCalled();
}

void Program::addUnit(uint32_t Unit) {
  const TuFacts &Facts = *Units[Unit];
  std::vector<StrId> &Names = StringMaps[Unit];
  Names.reserve(Facts.Strings.size());
  for (const std::string &Text : Facts.Strings)
    Names.push_back(Strings.intern(Text));

  RecordMaps[Unit].reserve(Facts.Records.size());
  for (uint32_t I = 0; I != Facts.Records.size(); ++I) {
    const RecordFact &Fact = Facts.Records[I];
    std::vector<RecordId> &Same = RecordsByName[Facts.Strings[Fact.Name]];
    auto It = std::ranges::find_if(
        Same, [&](RecordId Id) { return isSameLayout(Id, Unit, Fact); });
    if (It != Same.end()) {
      RecordMaps[Unit].push_back(*It);
      continue;
    }
    RecordId Id = Records.size();
    Records.push_back({Unit, I});
    Same.push_back(Id);
    RecordMaps[Unit].push_back(Id);
    RecordsByPlace[placeOf(Id)].push_back(Id);
  }
  for (const FunctionFact &Fact : Facts.Functions)
    addFunction(Unit, Fact);
}

bool Program::isSameLayout(RecordId Id, uint32_t Unit,
                           const RecordFact &Fact) const {
  const RecordFact &Other = recordFact(Id);
  const uint32_t OtherUnit = Records[Id].Unit;
  if (string(OtherUnit, Other.File) != string(Unit, Fact.File) ||
      Other.Line != Fact.Line || Other.SizeBytes != Fact.SizeBytes ||
      // One macro may make a union and a struct inside.
      (Other.Flags | RecOfPlace) != (Fact.Flags | RecOfPlace) ||
      Other.Fields.size() != Fact.Fields.size())
    return false;
  return std::ranges::equal(rowsOf(Units[OtherUnit]->Fields, Other.Fields),
                            rowsOf(Units[Unit]->Fields, Fact.Fields),
                            [&](const FieldFact &A, const FieldFact &B) {
                              return A.OffsetBits == B.OffsetBits &&
                                     A.SizeBits == B.SizeBits &&
                                     string(OtherUnit, A.Name) ==
                                         string(Unit, B.Name);
                            });
}

bool Program::isSameBody(const LinkedFunction &Known, uint32_t Unit,
                         const FunctionFact &Fact) const {
  const FunctionFact &Other = *Known.Fact;
  auto RecordIn = [&](uint32_t In, const ValueFact &Value) {
    return Value.Kind == ValueKind::Field || Value.Kind == ValueKind::Container
               ? record(In, Value.B)
               : None;
  };
  return text(Known.Unit, Other.File) == text(Unit, Fact.File) &&
         Other.Line == Fact.Line &&
         Other.Accesses.size() == Fact.Accesses.size() &&
         Other.Calls.size() == Fact.Calls.size() &&
         Other.Blocks.size() == Fact.Blocks.size() &&
         std::ranges::equal(rowsOf(Units[Known.Unit]->Values, Other.Values),
                            rowsOf(Units[Unit]->Values, Fact.Values),
                            [&](const ValueFact &A, const ValueFact &B) {
                              return A.Kind == B.Kind &&
                                     RecordIn(Known.Unit, A) ==
                                         RecordIn(Unit, B) &&
                                     // the field, or 0
                                     A.C == B.C;
                            }) &&
         std::ranges::equal(rowsOf(Units[Known.Unit]->Accesses, Other.Accesses),
                            rowsOf(Units[Unit]->Accesses, Fact.Accesses),
                            [](const AccessFact &A, const AccessFact &B) {
                              return A.Kind == B.Kind && A.Block == B.Block &&
                                     A.Line == B.Line && A.Column == B.Column;
                            });
}

void Program::addFunction(uint32_t Unit, const FunctionFact &Fact) {
  const StrId Key = string(Unit, Fact.Key);
  auto [It, New] = FunctionsByKey.try_emplace(Key, Functions.size());
  if (New) {
    Functions.push_back({Unit, &Fact, Key});
    return;
  }
  LinkedFunction &Known = Functions[It->second];
  if ((Known.Fact->Flags | Fact.Flags) & FnWeak) {
    if (!(Fact.Flags & FnWeak))
      Known = {Unit, &Fact, Key};
    return;
  }
  // Of a header's function one body speaks for all.
  if (!(Fact.Flags & FnOwn) || isSameBody(Known, Unit, Fact))
    return;
  OwnFunctions[{Unit, Key}] = Functions.size();
  Functions.push_back({Unit, &Fact, Key});
}

std::pair<StrId, uint32_t> Program::placeOf(RecordId Id) const {
  return {string(Records[Id].Unit, recordFact(Id).File), recordFact(Id).Line};
}

std::vector<RecordId> Program::recordsOfText(RecordId Id) const {
  auto Names = [&](RecordId Of) {
    std::vector<std::pair<uint32_t, StrId>> Found;
    for (const FieldFact &Field :
         rowsOf(Units[Records[Of].Unit]->Fields, recordFact(Of).Fields))
      Found.push_back({Field.Line, string(Records[Of].Unit, Field.Name)});
    return Found;
  };
  std::vector<RecordId> Found{Id};
  const RecordFact &Fact = recordFact(Id);
  const auto Own = Names(Id);
  for (RecordId Other : RecordsByPlace.at(placeOf(Id))) {
    const RecordFact &Made = recordFact(Other);
    // Several definitions of one macro, or one inside of the other, are no
    // other form of this text.
    if (Other != Id && !((Fact.Flags | Made.Flags) & RecInMacro) &&
        Made.EndLine == Fact.EndLine &&
        std::ranges::find_first_of(Own, Names(Other)) != Own.end())
      Found.push_back(Other);
  }
  return Found;
}

void Program::addTables() {
  for (uint32_t Unit = 0; Unit != Units.size(); ++Unit)
    for (const TableFact &Fact : Units[Unit]->Tables) {
      FunctionId Function = functionByKey(Unit, string(Unit, Fact.Function));
      if (Function == None)
        continue;
      if (Fact.Record == None) {
        Functions[Function].AddressTaken = true;
        continue;
      }
      Functions[Function].InTable = true;
      if (!isA(NameKind::ConfigurationTable,
               Units[Unit]->Strings[Units[Unit]->Records[Fact.Record].Name]))
        Functions[Function].InWorkTable = true;
      Tables[{record(Unit, Fact.Record), Fact.Field}].push_back(Function);
    }
  for (const StoredCallback &Callback : storedCallbacks(*this)) {
    Functions[Callback.Function].InTable = true;
    Functions[Callback.Function].InWorkTable = true;
    Tables[{Callback.Record, Callback.Field}].push_back(Callback.Function);
  }
  for (auto &[Slot, Stored] : Tables) {
    std::ranges::sort(Stored);
    Stored.erase(std::unique(Stored.begin(), Stored.end()), Stored.end());
  }
}

void Program::markCalled() {
  for (FunctionId Id = 0; Id != Functions.size(); ++Id) {
    const TuFacts &Facts = unitOf(Id);
    Range Calls = Functions[Id].Fact->Calls;
    for (const CallFact &Call : rowsOf(Facts.Calls, Calls))
      for (const PossibleCallee &Callee : callees(Id, Call)) {
        LinkedFunction &Function = Functions[Callee.Function];
        bool Direct = Call.Kind == CallKind::Direct;
        (Direct ? Function.Called : Function.TableCalled) |=
            Callee.Function != Id;
      }
  }
}

FunctionId Program::functionByKey(uint32_t Unit, StrId Key) const {
  if (auto Own = OwnFunctions.find({Unit, Key}); Own != OwnFunctions.end())
    return Own->second;
  auto It = FunctionsByKey.find(Key);
  return It == FunctionsByKey.end() ? None : It->second;
}

std::vector<FunctionId> Program::functionsNamed(const std::string &Name) const {
  std::vector<FunctionId> Found;
  for (FunctionId Id = 0; Id != Functions.size(); ++Id)
    if (text(Functions[Id].Unit, Functions[Id].Fact->Name) == Name)
      Found.push_back(Id);
  return Found;
}

std::vector<PossibleCallee> Program::callees(FunctionId Caller,
                                             const CallFact &Call) const {
  uint32_t Unit = Functions[Caller].Unit;
  if (Call.Kind == CallKind::Direct) {
    FunctionId Callee = functionByKey(Unit, string(Unit, Call.Callee));
    if (Callee == None)
      return {};
    return {{Callee, 1}};
  }
  if (Call.Kind != CallKind::Table)
    return {};
  const std::vector<FunctionId> &Stored =
      tableFunctions(record(Unit, Call.TableRecord), Call.TableField);
  std::vector<PossibleCallee> Found;
  for (FunctionId Id : Stored)
    Found.push_back({Id, 1.0 / Stored.size()});
  return Found;
}

const std::vector<FunctionId> &Program::tableFunctions(RecordId Id,
                                                       uint32_t Field) const {
  static const std::vector<FunctionId> NoFunctions;
  auto It = Tables.find({Id, Field});
  return It == Tables.end() ? NoFunctions : It->second;
}

const RecordFact &Program::recordFact(RecordId Id) const {
  return Units[Records[Id].Unit]->Records[Records[Id].Local];
}

const FieldFact &Program::fieldFact(RecordId Id, uint32_t Field) const {
  return Units[Records[Id].Unit]->Fields[recordFact(Id).Fields.Begin + Field];
}

RecordId Program::embedded(RecordId Id, uint32_t Field) const {
  return record(Records[Id].Unit, fieldFact(Id, Field).Embedded);
}

const std::string &Program::recordName(RecordId Id) const {
  return text(Records[Id].Unit, recordFact(Id).Name);
}

RecordInfo Program::recordInfo(RecordId Id) const {
  RecordInfo Info = kst::recordInfo(*Units[Records[Id].Unit], recordFact(Id));
  for (uint32_t Unit = 0; Unit != Units.size(); ++Unit)
    for (const SlabFact &Fact : Units[Unit]->Slabs)
      if (record(Unit, Fact.Record) == Id)
        Info.Slabs.push_back({Fact.AlignBytes, Fact.PointerBytes,
                              (Fact.Flags & SlabOnLines) != 0,
                              (Fact.Flags & SlabLinkBehind) != 0,
                              text(Unit, Fact.File), Fact.Line});
  std::ranges::sort(Info.Slabs, {}, [](const SlabInfo &S) {
    return std::tie(S.File, S.Line, S.AlignBytes, S.OnLines, S.LinkBehind);
  });
  Info.Slabs.erase(std::unique(Info.Slabs.begin(), Info.Slabs.end()),
                   Info.Slabs.end());
  return Info;
}

std::vector<RecordId> Program::recordsNamed(const std::string &Name) const {
  const RecordSpelling Spelling = parseRecordSpelling(Name);
  std::vector<RecordId> Named;
  if (auto It = RecordsByName.find(Spelling.Name); It != RecordsByName.end())
    Named = It->second;
  else // a record in a namespace, by the end of its name
    for (const auto &[Whole, Ids] : RecordsByName)
      if (isNamedSo(Whole, Spelling.Name))
        Named.insert(Named.end(), Ids.begin(), Ids.end());
  std::vector<RecordId> Found;
  for (RecordId Id : Named)
    if (Spelling.isAt(text(Records[Id].Unit, recordFact(Id).File),
                      recordFact(Id).Line))
      Found.push_back(Id);
  return Found;
}

std::vector<std::string> Program::namesLike(const std::string &Name) const {
  std::vector<std::string> Known;
  for (const auto &[One, Ids] : RecordsByName)
    if (!One.starts_with("("))
      Known.push_back(One);
  return kst::namesLike(Name, Known);
}

/// A key is "name", or "file:name" for a static function.
std::string_view Program::calleeName(uint32_t Unit,
                                     const CallFact &Call) const {
  if (Call.Kind != CallKind::Direct)
    return {};
  std::string_view Key = text(Unit, Call.Callee);
  return Key.substr(Key.rfind(':') + 1);
}

} // namespace kst
