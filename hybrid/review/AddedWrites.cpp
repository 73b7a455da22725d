// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/review/AddedWrites.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kst {

namespace {

using FieldName = std::pair<std::string, std::string>; ///< struct, field

/// Writes of a field by function: where they are.
using WritesOf = std::map<FieldName, std::map<std::string, std::set<Site>>>;

class Collector {
public:
  explicit Collector(WritesOf &Into) : Into(Into) {}

  void add(const TuFacts &Unit) {
    for (const FunctionFact &Function : Unit.Functions)
      // Functions of headers are in many units.
      if (Seen.insert(Unit.Strings[Function.Key]).second)
        addFunction(Unit, Function);
  }

private:
  void addFunction(const TuFacts &Unit, const FunctionFact &Function) {
    for (const AccessFact &Access : rowsOf(Unit.Accesses, Function.Accesses))
      if (Access.Kind != AccessForm::Read &&
          Access.Kind != AccessForm::BulkRead)
        addPlace(Unit, Function, Access.Address, Access.File, Access.Line);
    for (const CallFact &Call : rowsOf(Unit.Calls, Function.Calls)) {
      const auto Arguments = rowsOf(Unit.ValueArgs, Call.Args);
      for (size_t I = 0; I < std::min<size_t>(32, Arguments.size()); ++I)
        if (Arguments[I] != None && (Call.PointerArgs >> I & 1) &&
            !(Call.ConstArgs >> I & 1) &&
            rowsOf(Unit.Values, Function.Values)[Arguments[I]].Kind ==
                ValueKind::Field)
          addPlace(Unit, Function, Arguments[I], Call.File, Call.Line);
    }
  }

  /// The member that is meant, and those that it is in.
  void addPlace(const TuFacts &Unit, const FunctionFact &Function,
                ValueId Address, StrId File, uint32_t Line) {
    const auto Values = rowsOf(Unit.Values, Function.Values);
    while (Address != None && Address < Values.size()) {
      const ValueFact &Value = Values[Address];
      if (Value.Kind == ValueKind::Field && Value.B < Unit.Records.size()) {
        const RecordFact &Record = Unit.Records[Value.B];
        if (Value.C < Record.Fields.size()) {
          const FieldFact &Field = Unit.Fields[Record.Fields.Begin + Value.C];
          Into[{Unit.Strings[Record.Name],
                Unit.Strings[Field.Name]}][Unit.Strings[Function.Name]]
              .insert({Unit.Strings[Function.Name], Unit.Strings[File], Line});
        }
      } else if (Value.Kind != ValueKind::Element)
        return;
      Address = Value.A;
    }
  }

  WritesOf &Into;
  std::set<std::string> Seen;
};

WritesOf collect(const std::vector<const TuFacts *> &Units) {
  WritesOf Found;
  Collector Into(Found);
  for (const TuFacts *Unit : Units)
    Into.add(*Unit);
  return Found;
}

size_t count(const std::map<std::string, std::set<Site>> &Functions) {
  size_t All = 0;
  for (const auto &[Name, Places] : Functions)
    All += Places.size();
  return All;
}

} // namespace

std::map<std::string, std::vector<AddedWrite>>
addedWrites(const std::vector<const TuFacts *> &Base,
            const std::vector<const TuFacts *> &Head) {
  const WritesOf Before = collect(Base), After = collect(Head);
  std::map<std::string, std::vector<AddedWrite>> Added;
  for (const auto &[Field, Functions] : After) {
    auto Was = Before.find(Field);
    if (Field.second.empty() ||
        (Was != Before.end() && count(Functions) <= count(Was->second)))
      continue;
    for (const auto &[Name, Places] : Functions) {
      size_t Had = 0;
      if (Was != Before.end())
        if (auto Same = Was->second.find(Name); Same != Was->second.end())
          Had = Same->second.size();
      // Which of several places of one function is new, nobody can tell by
      // counts: the text of a line may have changed for many reasons.
      if (Places.size() > Had)
        for (const Site &Where : Places)
          Added[Field.first].push_back({Field.second, Where});
    }
  }
  return Added;
}

AffinityEvidence withoutWrites(AffinityEvidence Evidence,
                               const std::vector<AddedWrite> &Added) {
  std::set<std::tuple<std::string, std::string, uint32_t>> Places;
  for (const AddedWrite &Write : Added)
    Places.insert({Write.Field, Write.Where.File, Write.Where.Line});
  for (CoAccessSet &Set : Evidence.Sets) {
    for (FieldTouch &Touch : Set.Touches) {
      const double Had = Touch.Writes;
      const std::string &Name = Evidence.Record.Fields[Touch.Field].Name;
      for (const AccessSite &Access : Touch.Sites) {
        if (!(Access.Writes > 0) ||
            !Places.contains({Name, Access.Where.File, Access.Where.Line}))
          continue;
        const double Writes = std::min(Touch.Writes, Access.Writes),
                     Reads = std::min(Touch.Reads, Access.Reads);
        Touch.Writes -= Writes;
        Touch.Reads -= Reads;
        Evidence.Fields[Touch.Field].Writes -= Set.Weight * Writes;
        Evidence.Fields[Touch.Field].Reads -= Set.Weight * Reads;
      }
      Touch.Probability =
          std::min(Touch.Probability, Touch.Reads + Touch.Writes);
      for (Spot &At : Touch.Spots) {
        At.Probability = std::min(At.Probability, Touch.Probability);
        At.Writes *= Had > 0 ? Touch.Writes / Had : 1;
      }
    }
    std::erase_if(Set.Touches, [](const FieldTouch &Touch) {
      return !(Touch.Probability > 0);
    });
  }
  std::erase_if(Evidence.Sets,
                [](const CoAccessSet &Set) { return Set.Touches.empty(); });
  return Evidence;
}

} // namespace kst
