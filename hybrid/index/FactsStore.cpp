// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/index/FactsStore.h"

#include "hybrid/facts/FactsVisit.h"
#include "hybrid/index/RowCopy.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace kst {

struct HashOfHash {
  size_t operator()(const Hash128 &H) const { return H.Low; }
};

template <typename Row> struct BytesHash {
  size_t operator()(const Row &R) const {
    return hash64({reinterpret_cast<const char *>(&R), sizeof(R)});
  }
};

template <typename Row>
using RowNumbers = std::unordered_map<Row, uint32_t, BytesHash<Row>>;

namespace {

template <typename Row>
void appendBytes(std::string &To, std::span<const Row> Rows) {
  To.append(reinterpret_cast<const char *>(Rows.data()), Rows.size_bytes());
}

/// What a record says, whatever table it is in.
Hash128 contents(const TuFacts &Of, const RecordFact &Fact) {
  RecordFact R = Fact;
  R.Fields = {0, Fact.Fields.size()};
  R.Groups = {0, Fact.Groups.size()};
  std::string Bytes(reinterpret_cast<const char *>(&R),
                    offsetof(RecordFact, Groups) + sizeof(Range));
  appendBytes(Bytes, rowsOf(Of.Fields, Fact.Fields));
  appendBytes(Bytes, rowsOf(Of.Groups, Fact.Groups));
  return hash128(Bytes);
}

Hash128 contents(const TuFacts &Of, const FunctionFact &Fact) {
  FunctionFact F = Fact;
  std::string Bytes;
  for (Range FunctionFact::*Rows :
       {&FunctionFact::Values, &FunctionFact::Accesses, &FunctionFact::Calls,
        &FunctionFact::Stores, &FunctionFact::Blocks, &FunctionFact::Loops,
        &FunctionFact::Edges, &FunctionFact::Tests, &FunctionFact::Returns,
        &FunctionFact::ParamRecords})
    F.*Rows = {0, (Fact.*Rows).size()};
  Bytes.append(reinterpret_cast<const char *>(&F), sizeof(F));
  auto Args = [&](Range R) { appendBytes(Bytes, rowsOf(Of.ValueArgs, R)); };
  for (ValueFact Value : rowsOf(Of.Values, Fact.Values)) {
    Args(Value.Args);
    Value.Args = {0, Value.Args.size()};
    appendBytes(Bytes, std::span<const ValueFact>(&Value, 1));
  }
  for (CallFact Call : rowsOf(Of.Calls, Fact.Calls)) {
    Args(Call.Args);
    Call.Args = {0, Call.Args.size()};
    appendBytes(Bytes, std::span<const CallFact>(&Call, 1));
  }
  appendBytes(Bytes, rowsOf(Of.Accesses, Fact.Accesses));
  appendBytes(Bytes, rowsOf(Of.Stores, Fact.Stores));
  for (const BlockFact &Block : rowsOf(Of.Blocks, Fact.Blocks)) {
    appendBytes(Bytes, std::span<const double>(&Block.Frequency, 1));
    appendBytes(Bytes, std::span<const uint32_t>(&Block.Loop, 1));
  }
  appendBytes(Bytes, rowsOf(Of.Loops, Fact.Loops));
  appendBytes(Bytes, rowsOf(Of.Edges, Fact.Edges));
  appendBytes(Bytes, rowsOf(Of.Tests, Fact.Tests));
  Args(Fact.Returns);
  Args(Fact.ParamRecords);
  return hash128(Bytes);
}

} // namespace

/// Finds what a store has.
struct FactsStore::Known {
  std::unordered_map<std::string, StrId> Strings;
  std::unordered_map<Hash128, uint32_t, HashOfHash> Records, Functions;
  RowNumbers<TableFact> Tables;
  RowNumbers<SlabFact> Slabs;
  RowNumbers<VariableFact> Variables;
  RowNumbers<DropFact> Drops;
  RowNumbers<DemandFact> Demands;
  RowNumbers<PointerFlowFact> PointerFlows;
};

FactsStore::FactsStore() = default;
FactsStore::~FactsStore() = default;
FactsStore::FactsStore(FactsStore &&) = default;
FactsStore &FactsStore::operator=(FactsStore &&) = default;

namespace {

/// That a unit has the records that its other rows name.
class RecordsThere {
public:
  explicit RecordsThere(const TuFacts &All)
      : All(All), Has(All.Records.size(), None) {
    for (const RecordFact &Fact : All.Records)
      OfRecords.push_back(named(rowsOf(All.Fields, Fact.Fields)));
    for (const FunctionFact &Fact : All.Functions) {
      std::vector<uint32_t> Used = named(rowsOf(All.Values, Fact.Values));
      for (uint32_t Id : named(rowsOf(All.Calls, Fact.Calls)))
        Used.push_back(Id);
      for (uint32_t Id : rowsOf(All.ValueArgs, Fact.ParamRecords))
        if (Id != None)
          Used.push_back(Id);
      std::ranges::sort(Used);
      Used.erase(std::unique(Used.begin(), Used.end()), Used.end());
      OfFunctions.push_back(std::move(Used));
    }
  }

  bool holds(const UnitRows &Unit, uint32_t Number) {
    for (uint32_t Id : Unit.Records)
      Has[Id] = Number;
    bool Good = true;
    auto Check = [&](uint32_t Id) { Good &= Has[Id] == Number; };
    auto Lists = [&](const auto &Rows, const auto &Used) {
      for (uint32_t Row : Rows)
        for (uint32_t Id : Used[Row])
          Check(Id);
    };
    auto Plain = [&](const auto &Rows, const auto &Table) {
      for (uint32_t Row : Rows) {
        auto Copy = Table[Row];
        visitNames(Copy, [](StrId &) {}, Check);
      }
    };
    Lists(Unit.Records, OfRecords);
    Lists(Unit.Functions, OfFunctions);
    Plain(Unit.Tables, All.Tables);
    Plain(Unit.Drops, All.Drops);
    Plain(Unit.Demands, All.Demands);
    Plain(Unit.PointerFlows, All.PointerFlows);
    return Good;
  }

private:
  template <typename Row>
  static std::vector<uint32_t> named(std::span<const Row> Rows) {
    std::vector<uint32_t> Found;
    for (Row Copy : Rows)
      visitNames(
          Copy, [](StrId &) {}, [&](uint32_t &Id) { Found.push_back(Id); });
    return Found;
  }

  const TuFacts &All;
  std::vector<uint32_t> Has; ///< the last unit that has the record
  std::vector<std::vector<uint32_t>> OfRecords, OfFunctions;
};

bool rowsAreThere(const UnitRows &Unit, const TuFacts &All) {
  auto Below = [](const std::vector<uint32_t> &Rows, size_t Size) {
    return std::ranges::all_of(Rows, [&](uint32_t R) { return R < Size; });
  };
  return Unit.MainFile < All.Strings.size() &&
         Unit.Triple < All.Strings.size() &&
         Below(Unit.Strings, All.Strings.size()) &&
         Below(Unit.Records, All.Records.size()) &&
         Below(Unit.Functions, All.Functions.size()) &&
         Below(Unit.Tables, All.Tables.size()) &&
         Below(Unit.Slabs, All.Slabs.size()) &&
         Below(Unit.Variables, All.Variables.size()) &&
         Below(Unit.Drops, All.Drops.size()) &&
         Below(Unit.Demands, All.Demands.size()) &&
         Below(Unit.PointerFlows, All.PointerFlows.size());
}

} // namespace

Result<FactsStore> FactsStore::from(TuFacts All, std::vector<UnitRows> Units) {
  RecordsThere Records(All);
  for (uint32_t I = 0; I != Units.size(); ++I)
    if (!rowsAreThere(Units[I], All) || !Records.holds(Units[I], I))
      return Failure{"a unit has rows that are not there"};
  FactsStore Made;
  Made.All = std::move(All);
  Made.Units = std::move(Units);
  return Made;
}

FactsStore::Known &FactsStore::known() {
  if (There)
    return *There;
  There = std::make_unique<Known>();
  for (StrId Id = 0; Id != All.Strings.size(); ++Id)
    There->Strings.emplace(All.Strings[Id], Id);
  auto Each = [](const auto &Table, auto Put) {
    for (uint32_t I = 0; I != Table.size(); ++I)
      Put(Table[I], I);
  };
  Each(All.Records, [&](const auto &R, uint32_t I) {
    There->Records.emplace(contents(All, R), I);
  });
  Each(All.Functions, [&](const auto &F, uint32_t I) {
    There->Functions.emplace(contents(All, F), I);
  });
  Each(All.Tables,
       [&](const auto &R, uint32_t I) { There->Tables.emplace(R, I); });
  Each(All.Slabs,
       [&](const auto &R, uint32_t I) { There->Slabs.emplace(R, I); });
  Each(All.Variables,
       [&](const auto &R, uint32_t I) { There->Variables.emplace(R, I); });
  Each(All.Drops,
       [&](const auto &R, uint32_t I) { There->Drops.emplace(R, I); });
  Each(All.Demands,
       [&](const auto &R, uint32_t I) { There->Demands.emplace(R, I); });
  Each(All.PointerFlows,
       [&](const auto &R, uint32_t I) { There->PointerFlows.emplace(R, I); });
  return *There;
}

namespace {

/// Where the rows of other tables are in ours.
struct Places {
  std::vector<StrId> Strings;
  std::vector<uint32_t> Records;
};

template <typename Row> Row placed(Row R, const Places &Of) {
  visitNames(
      R, [&](StrId &Id) { Id = Of.Strings[Id]; },
      [&](uint32_t &Id) { Id = Of.Records[Id]; });
  return R;
}

template <typename Row>
std::vector<uint32_t> placedRows(const std::vector<Row> &Rows, const Places &Of,
                                 std::vector<Row> &Into,
                                 RowNumbers<Row> &Numbers) {
  std::vector<uint32_t> Found;
  for (const Row &R : Rows) {
    const Row New = placed(R, Of);
    auto [It, First] = Numbers.try_emplace(New, Into.size());
    if (First)
      Into.push_back(New);
    Found.push_back(It->second);
  }
  return Found;
}

/// Takes rows of one TuFacts over into a store.
class Importer {
public:
  Importer(const TuFacts &From, TuFacts &To) : Copy(From, To), From(From) {}

  Places Of;
  RowCopy Copy;

  template <typename Numbers> void strings(Numbers &There) {
    for (const std::string &Text : From.Strings) {
      auto [It, New] = There.try_emplace(Text, Copy.To.Strings.size());
      if (New)
        Copy.To.Strings.push_back(Text);
      Of.Strings.push_back(It->second);
    }
  }

  /// Those inside first: what a record says includes which they are.
  template <typename Numbers> uint32_t record(uint32_t Id, Numbers &There) {
    if (Of.Records[Id] != None)
      return Of.Records[Id];
    for (const FieldFact &Field : rowsOf(From.Fields, From.Records[Id].Fields))
      if (Field.Embedded != None)
        record(Field.Embedded, There);
    return Of.Records[Id] =
               keep([&](auto Name,
                        auto Record) { return Copy.record(Id, Name, Record); },
                    Copy.To.Records, There);
  }

  template <typename Numbers> uint32_t function(uint32_t Id, Numbers &There) {
    return keep(
        [&](auto Name, auto Record) { return Copy.function(Id, Name, Record); },
        Copy.To.Functions, There);
  }

private:
  /// Copies, then takes the copy back if it is there already.
  template <typename Make, typename Table, typename Numbers>
  uint32_t keep(Make Copied, Table &Rows, Numbers &There) {
    const RowCopy::Mark Before = Copy.mark();
    Copied([&](StrId &Text) { Text = Of.Strings[Text]; },
           [&](uint32_t &Record) { Record = Of.Records[Record]; });
    auto [It, New] =
        There.try_emplace(contents(Copy.To, Rows.back()), Rows.size() - 1);
    if (!New)
      Copy.back(Before);
    return It->second;
  }

  const TuFacts &From;
};

} // namespace

static std::vector<uint32_t> mapped(const std::vector<uint32_t> &Rows,
                                    const std::vector<uint32_t> &Into) {
  std::vector<uint32_t> Found;
  Found.reserve(Rows.size());
  for (uint32_t Row : Rows)
    Found.push_back(Into[Row]);
  return Found;
}

/// All rows of Others as ours.
static UnitRows import(const TuFacts &Others, TuFacts &All, auto &There) {
  Importer Of(Others, All);
  UnitRows Rows;
  Of.strings(There.Strings);
  Of.Of.Records.assign(Others.Records.size(), None);
  for (uint32_t Id = 0; Id != Others.Records.size(); ++Id)
    Rows.Records.push_back(Of.record(Id, There.Records));
  for (uint32_t Id = 0; Id != Others.Functions.size(); ++Id)
    Rows.Functions.push_back(Of.function(Id, There.Functions));
  const Places &At = Of.Of;
  Rows.MainFile = At.Strings[Others.MainFile];
  Rows.Triple = At.Strings[Others.Triple];
  Rows.Strings = At.Strings;
  Rows.Tables = placedRows(Others.Tables, At, All.Tables, There.Tables);
  Rows.Slabs = placedRows(Others.Slabs, At, All.Slabs, There.Slabs);
  Rows.Variables =
      placedRows(Others.Variables, At, All.Variables, There.Variables);
  Rows.Drops = placedRows(Others.Drops, At, All.Drops, There.Drops);
  Rows.Demands = placedRows(Others.Demands, At, All.Demands, There.Demands);
  Rows.PointerFlows =
      placedRows(Others.PointerFlows, At, All.PointerFlows, There.PointerFlows);
  return Rows;
}

void FactsStore::add(const TuFacts &Unit) {
  Units.push_back(import(Unit, All, known()));
}

void FactsStore::add(const FactsStore &Others) {
  // MainFile and Triple of All are nothing; those of units are strings.
  const UnitRows Into = import(Others.All, All, known());
  for (const UnitRows &Unit : Others.Units)
    Units.push_back(
        {Into.Strings[Unit.MainFile], Into.Strings[Unit.Triple],
         mapped(Unit.Strings, Into.Strings), mapped(Unit.Records, Into.Records),
         mapped(Unit.Functions, Into.Functions),
         mapped(Unit.Tables, Into.Tables), mapped(Unit.Slabs, Into.Slabs),
         mapped(Unit.Variables, Into.Variables), mapped(Unit.Drops, Into.Drops),
         mapped(Unit.Demands, Into.Demands),
         mapped(Unit.PointerFlows, Into.PointerFlows)});
}

} // namespace kst
