// SPDX-License-Identifier: GPL-2.0-or-later
//
// A store in another order, and units of it as facts for a program.

#include "hybrid/index/FactsStore.h"
#include "hybrid/index/RowCopy.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace kst {

namespace {

/// Copies rows as they are asked for. Strings get their numbers in the order in
/// which they are asked for first; records keep theirs until finish().
class Copier {
public:
  explicit Copier(const TuFacts &From)
      : From(From), Copy(From, To), Strings(From.Strings.size(), None) {
    Strings[0] = 0;
  }

  StrId text(StrId Id) {
    if (Strings[Id] == None) {
      Strings[Id] = To.Strings.size();
      To.Strings.push_back(From.Strings[Id]);
    }
    return Strings[Id];
  }
  uint32_t record(uint32_t Id) { return Copy.record(Id, Text, Keep); }
  uint32_t function(uint32_t Id) { return Copy.function(Id, Text, Keep); }
  template <typename Row> Row named(Row R) {
    visitNames(R, Text, Keep);
    return R;
  }

  /// Records: the new number of each.
  TuFacts finish(const std::vector<uint32_t> &Records) {
    auto NoText = [](StrId &) {};
    auto Number = [&](uint32_t &Id) { Id = Records[Id]; };
    auto Rows = [&](auto &Table) {
      for (auto &Row : Table)
        visitNames(Row, NoText, Number);
    };
    Rows(To.Fields);
    Rows(To.Values);
    Rows(To.Calls);
    Rows(To.Tables);
    Rows(To.Slabs);
    Rows(To.Variables);
    Rows(To.Drops);
    Rows(To.Demands);
    Rows(To.PointerFlows);
    for (const FunctionFact &Fact : To.Functions)
      for (uint32_t P = Fact.ParamRecords.Begin; P != Fact.ParamRecords.End;
           ++P)
        if (To.ValueArgs[P] != None)
          To.ValueArgs[P] = Records[To.ValueArgs[P]];
    return std::move(To);
  }

  const TuFacts &From;
  TuFacts To;

private:
  RowCopy Copy;
  std::vector<StrId> Strings;
  struct TextOf {
    Copier *This;
    void operator()(StrId &Id) const { Id = This->text(Id); }
  } Text{this};
  struct Same {
    void operator()(uint32_t &) const {}
  } Keep;
};

/// Numbers of rows in the order of their first use.
class Renumbered {
public:
  explicit Renumbered(size_t Size) : Numbers(Size, None) {}
  /// Calls Add when the row is new.
  template <typename Adder> uint32_t operator()(uint32_t Row, Adder Add) {
    if (Numbers[Row] == None) {
      Numbers[Row] = Next++;
      Add(Row);
    }
    return Numbers[Row];
  }
  std::vector<uint32_t> Numbers;

private:
  uint32_t Next = 0;
};

/// Takes strings away that no row names.
void dropUnnamed(TuFacts &Facts) {
  std::vector<bool> Named(Facts.Strings.size());
  Named[0] = true;
  visitTexts(Facts, [&](StrId &Id) { Named[Id] = true; });
  std::vector<StrId> Numbers(Named.size());
  StrId Next = 0;
  for (StrId Id = 0; Id != Named.size(); ++Id)
    if (Named[Id]) {
      if (Next != Id)
        Facts.Strings[Next] = std::move(Facts.Strings[Id]);
      Numbers[Id] = Next++;
    }
  Facts.Strings.resize(Next);
  visitTexts(Facts, [&](StrId &Id) { Id = Numbers[Id]; });
}

class Merger {
public:
  explicit Merger(const TuFacts &From)
      : From(From), Rows(From), Records(From.Records.size(), None) {}

  TuFacts run(const std::vector<const UnitRows *> &Units) {
    for (const UnitRows *Unit : Units) {
      for (StrId Id : Unit->Strings)
        Rows.text(Id);
      for (uint32_t Id : Unit->Records)
        addRecord(Id);
      for (uint32_t Id : Unit->Functions)
        choose(Id);
    }
    Rows.To.MainFile = Rows.text(Units.front()->MainFile);
    Rows.To.Triple = Rows.text(Units.front()->Triple);
    for (uint32_t Id : Chosen)
      Rows.function(Id);
    for (const UnitRows *Unit : Units) {
      for (uint32_t Id : Unit->Tables)
        Rows.To.Tables.push_back(Rows.named(From.Tables[Id]));
      addNew(Unit->Slabs, From.Slabs, Rows.To.Slabs, Slabs);
      addNew(Unit->Variables, From.Variables, Rows.To.Variables, Variables);
      addNew(Unit->Drops, From.Drops, Rows.To.Drops, Drops);
      addNew(Unit->Demands, From.Demands, Rows.To.Demands, Demands);
      addNew(Unit->PointerFlows, From.PointerFlows, Rows.To.PointerFlows,
             Flows);
    }
    addLeftOut();
    TuFacts Made = Rows.finish(Records);
    dropUnnamed(Made);
    return Made;
  }

private:
  /// Records that are one for a program, see Program::addUnit().
  void addRecord(uint32_t Id) {
    if (Records[Id] != None)
      return;
    const RecordFact &Fact = From.Records[Id];
    auto [It, New] = Definitions.try_emplace({Fact.Name, Fact.File, Fact.Line,
                                              Fact.SizeBytes, Fact.Flags,
                                              Fact.Fields.size()},
                                             Rows.To.Records.size());
    if (New)
      Rows.record(Id);
    Records[Id] = It->second;
  }

  /// The first body of a function, or the first that is not weak.
  void choose(uint32_t Id) {
    if (!Seen.insert(Id).second)
      return;
    const FunctionFact &Fact = From.Functions[Id];
    auto [It, New] = Keys.try_emplace(Fact.Key, Chosen.size());
    if (New)
      Chosen.push_back(Id);
    else if (uint32_t &Now = Chosen[It->second];
             From.Functions[Now].Flags & FnWeak && !(Fact.Flags & FnWeak))
      LeftOut.push_back(std::exchange(Now, Id));
    else
      LeftOut.push_back(Id);
  }

  template <typename Row>
  void addNew(const std::vector<uint32_t> &Of, const std::vector<Row> &Table,
              std::vector<Row> &Into, std::unordered_set<uint32_t> &There) {
    for (uint32_t Id : Of)
      if (There.insert(Id).second)
        Into.push_back(Rows.named(Table[Id]));
  }

  /// What a program asks of the values of all bodies, also of those that it
  /// does not take: members that code names, functions whose names it says,
  /// values that only a kernel has. Whether it is known already.
  bool known(const ValueFact &V) {
    switch (V.Kind) {
    case ValueKind::Field:
      return !Members.insert(uint64_t(Records[V.B]) << 32 | V.C).second;
    case ValueKind::Function:
      return !Names.insert(V.A).second;
    case ValueKind::ThisCpu:
    case ValueKind::Current:
    case ValueKind::PerCpu:
      return std::exchange(OfKernel, true);
    default:
      return true;
    }
  }

  /// Stays as a value of no function.
  void keep(ValueFact Value) {
    std::vector<ValueFact> &Values = Rows.To.Values;
    if (Value.Kind == ValueKind::PerCpu)
      Value.Kind = ValueKind::ThisCpu;
    if (Value.Kind != ValueKind::Function)
      Value.A = 0;
    Value.Args = {};
    if (Values.empty()) // what the member is of
      Values.emplace_back();
    Values.push_back(Rows.named(Value));
  }

  void addLeftOut() {
    std::unordered_set<StrId> Called;
    for (uint32_t Id : Chosen) {
      for (const ValueFact &V : rowsOf(From.Values, From.Functions[Id].Values))
        known(V);
      for (const CallFact &C : rowsOf(From.Calls, From.Functions[Id].Calls))
        if (C.Kind == CallKind::Direct)
          Called.insert(C.Callee);
    }
    for (uint32_t Id : LeftOut) {
      for (const ValueFact &V : rowsOf(From.Values, From.Functions[Id].Values))
        if (!known(V))
          keep(V);
      for (const CallFact &C : rowsOf(From.Calls, From.Functions[Id].Calls)) {
        ValueFact Name;
        Name.Kind = ValueKind::Function;
        Name.A = C.Callee;
        if (C.Kind == CallKind::Direct && Called.insert(C.Callee).second &&
            !known(Name))
          keep(Name);
      }
    }
  }

  const TuFacts &From;
  Copier Rows;
  std::vector<uint32_t> Records; ///< the new number of each, or None
  std::map<std::tuple<StrId, StrId, uint32_t, uint64_t, uint32_t, uint32_t>,
           uint32_t>
      Definitions;
  std::unordered_map<StrId, uint32_t> Keys; ///< into Chosen
  std::vector<uint32_t> Chosen, LeftOut;
  std::unordered_set<uint32_t> Seen, Slabs, Variables, Drops, Demands, Flows;
  std::unordered_set<uint64_t> Members;
  std::unordered_set<StrId> Names;
  bool OfKernel = false;
};

} // namespace

FactsStore FactsStore::ordered(std::span<const uint32_t> Order) const {
  Copier Rows(All);
  FactsStore Made;
  Renumbered Records(All.Records.size()), Functions(All.Functions.size()),
      Tables(All.Tables.size()), Slabs(All.Slabs.size()),
      Variables(All.Variables.size()), Drops(All.Drops.size()),
      Demands(All.Demands.size()), Flows(All.PointerFlows.size());
  auto Table = [&](const std::vector<uint32_t> &Old, Renumbered &Numbers,
                   auto Add) {
    std::vector<uint32_t> New;
    New.reserve(Old.size());
    for (uint32_t Row : Old)
      New.push_back(Numbers(Row, Add));
    return New;
  };
  auto Plain = [&](const auto &From, auto &To) {
    return [&](uint32_t Row) { To.push_back(Rows.named(From[Row])); };
  };
  for (uint32_t Unit : Order) {
    const UnitRows &Old = Units[Unit];
    UnitRows New;
    for (StrId Id : Old.Strings)
      New.Strings.push_back(Rows.text(Id));
    New.MainFile = Rows.text(Old.MainFile);
    New.Triple = Rows.text(Old.Triple);
    New.Records =
        Table(Old.Records, Records, [&](uint32_t Row) { Rows.record(Row); });
    New.Functions = Table(Old.Functions, Functions,
                          [&](uint32_t Row) { Rows.function(Row); });
    New.Tables = Table(Old.Tables, Tables, Plain(All.Tables, Rows.To.Tables));
    New.Slabs = Table(Old.Slabs, Slabs, Plain(All.Slabs, Rows.To.Slabs));
    New.Variables = Table(Old.Variables, Variables,
                          Plain(All.Variables, Rows.To.Variables));
    New.Drops = Table(Old.Drops, Drops, Plain(All.Drops, Rows.To.Drops));
    New.Demands =
        Table(Old.Demands, Demands, Plain(All.Demands, Rows.To.Demands));
    New.PointerFlows = Table(Old.PointerFlows, Flows,
                             Plain(All.PointerFlows, Rows.To.PointerFlows));
    Made.Units.push_back(std::move(New));
  }
  Made.All = Rows.finish(Records.Numbers);
  return Made;
}

TuFacts FactsStore::unit(uint32_t Number) const {
  FactsStore Alone = ordered({&Number, 1});
  Alone.All.MainFile = Alone.Units.front().MainFile;
  Alone.All.Triple = Alone.Units.front().Triple;
  return std::move(Alone.All);
}

TuFacts FactsStore::merged(std::vector<uint32_t> Which) const {
  std::vector<const UnitRows *> Chosen;
  for (uint32_t Unit : Which)
    Chosen.push_back(&Units[Unit]);
  // As Program has them.
  std::ranges::stable_sort(Chosen, [&](const UnitRows *A, const UnitRows *B) {
    return All.Strings[A->MainFile] < All.Strings[B->MainFile];
  });
  return Merger(All).run(Chosen);
}

} // namespace kst
