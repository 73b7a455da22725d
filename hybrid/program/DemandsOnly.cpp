// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/DemandsOnly.h"

#include <map>

namespace kst {

namespace {

class Extract {
public:
  explicit Extract(const TuFacts &From) : From(From) {}

  TuFacts run() {
    To.MainFile = string(From.MainFile);
    To.Triple = string(From.Triple);
    for (DemandFact Demand : From.Demands) {
      Demand.Record = record(Demand.Record);
      Demand.Function = string(Demand.Function);
      Demand.File = string(Demand.File);
      To.Demands.push_back(Demand);
    }
    return std::move(To);
  }

private:
  StrId string(StrId Old) {
    if (Old == 0)
      return 0;
    auto [It, New] = Strings.try_emplace(Old, To.Strings.size());
    if (New)
      To.Strings.push_back(From.Strings[Old]);
    return It->second;
  }

  uint32_t record(uint32_t Old) {
    auto [It, New] = Records.try_emplace(Old, To.Records.size());
    if (!New)
      return It->second;
    uint32_t Index = It->second;
    To.Records.emplace_back();
    RecordFact Record = From.Records[Old];
    Record.Name = string(Record.Name);
    Record.File = string(Record.File);
    std::vector<FieldFact> Fields;
    for (uint32_t I = Record.Fields.Begin; I != Record.Fields.End; ++I) {
      FieldFact Field = From.Fields[I];
      Field.Name = string(Field.Name);
      Field.TypeName = string(Field.TypeName);
      if (Field.Embedded != None)
        Field.Embedded = record(Field.Embedded);
      Fields.push_back(Field);
    }
    Record.Fields.Begin = To.Fields.size();
    To.Fields.insert(To.Fields.end(), Fields.begin(), Fields.end());
    Record.Fields.End = To.Fields.size();
    Range Groups = Record.Groups;
    Record.Groups.Begin = To.Groups.size();
    for (uint32_t I = Groups.Begin; I != Groups.End; ++I) {
      To.Groups.push_back(From.Groups[I]);
      To.Groups.back().Name = string(From.Groups[I].Name);
    }
    Record.Groups.End = To.Groups.size();
    To.Records[Index] = Record;
    return Index;
  }

  const TuFacts &From;
  TuFacts To;
  std::map<StrId, StrId> Strings;
  std::map<uint32_t, uint32_t> Records;
};

} // namespace

TuFacts demandsOnly(const TuFacts &Unit) { return Extract(Unit).run(); }

} // namespace kst
