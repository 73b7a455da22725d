// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/facts/FactsCheck.h"

#include <bit>
#include <cmath>

namespace kst {
namespace {

class Checker {
public:
  explicit Checker(const TuFacts &F) : F(F) {}
  std::optional<Failure> run();

private:
  /// Each returns false, and names the broken rule, when something is wrong.
  bool records();
  bool groups(const RecordFact &R);
  bool functions();
  bool tables();
  bool demand(const DemandFact &D);
  bool slot(const SlotFact &S);
  bool blocks(const FunctionFact &Fn);
  bool loops(const FunctionFact &Fn);
  bool accesses(const FunctionFact &Fn);
  bool calls(const FunctionFact &Fn);
  bool values(const FunctionFact &Fn);
  bool operands(const ValueFact &V, uint32_t Values, uint32_t Calls);
  bool argsDisjoint();
  bool acyclicLoops(const FunctionFact &Fn);
  bool acyclicValues(const FunctionFact &Fn);
  template <typename Visit> void children(const ValueFact &V, Visit Each);

  bool broken(const char *Rule) {
    Why = Rule;
    return false;
  }
  bool string(StrId Id) const { return Id < F.Strings.size(); }
  /// Values are numbers within their function.
  static bool valueOrNone(ValueId Id, const FunctionFact &Fn) {
    return Id == None || Id < Fn.Values.size();
  }
  bool valuesOrNone(Range R, const FunctionFact &Fn) const {
    for (ValueId Id : rowsOf(F.ValueArgs, R))
      if (!valueOrNone(Id, Fn))
        return false;
    return true;
  }
  bool recordOrNone(uint32_t Id) const {
    return Id == None || Id < F.Records.size();
  }
  bool fieldOf(uint32_t Record, uint32_t Field) const {
    return Record < F.Records.size() && Field < F.Records[Record].Fields.size();
  }
  template <typename T> static bool in(Range R, const std::vector<T> &Table) {
    return R.Begin <= R.End && R.End <= Table.size();
  }
  /// Constant time, since ranges of a hostile file may all overlap. R is in
  /// ValueArgs.
  bool recordsOrNone(Range R) const {
    return NotRecords[R.Begin] == NotRecords[R.End];
  }
  void countArgs();
  static bool frequency(double Number) {
    return std::isfinite(Number) && Number >= 0;
  }

  const TuFacts &F;
  const char *Why = nullptr;
  /// [I]: how many of the first I ValueArgs are no record.
  std::vector<uint32_t> NotRecords;
};

void Checker::countArgs() {
  NotRecords.reserve(F.ValueArgs.size() + 1);
  NotRecords.push_back(0);
  for (uint32_t Arg : F.ValueArgs) {
    NotRecords.push_back(NotRecords.back() + !recordOrNone(Arg));
  }
}

/// Groups lie within each other as the ranges of their fields do.
bool Checker::groups(const RecordFact &R) {
  for (uint32_t I = R.Groups.Begin; I < R.Groups.End; ++I) {
    const GroupFact &G = F.Groups[I];
    const uint32_t Number = I - R.Groups.Begin;
    if (!string(G.Name))
      return broken("string of a group");
    if (!std::has_single_bit(G.AlignBytes))
      return broken("alignment of a group");
    if (G.Fields.Begin >= G.Fields.End || G.Fields.End > R.Fields.size())
      return broken("fields of a group");
    if (G.Parent == None)
      continue;
    if (G.Parent >= Number)
      return broken("parent of a group");
    Range Around = F.Groups[R.Groups.Begin + G.Parent].Fields;
    if (G.Fields.Begin < Around.Begin || G.Fields.End > Around.End)
      return broken("group that is not in its parent");
  }
  return true;
}

bool Checker::records() {
  for (const RecordFact &R : F.Records) {
    if (!string(R.Name) || !string(R.File))
      return broken("string of a record");
    if (!in(R.Fields, F.Fields))
      return broken("fields of a record");
    if (!in(R.Groups, F.Groups) || !groups(R))
      return Why ? false : broken("groups of a record");
    if (!std::has_single_bit(R.AlignBytes))
      return broken("alignment of a record");
  }
  for (const FieldFact &Field : F.Fields) {
    if (!string(Field.Name) || !string(Field.TypeName))
      return broken("string of a field");
    if (!recordOrNone(Field.Embedded))
      return broken("embedded record of a field");
    if (!std::has_single_bit(Field.AlignBytes))
      return broken("alignment of a field");
  }
  return true;
}

bool Checker::blocks(const FunctionFact &Fn) {
  for (const BlockFact &B : rowsOf(F.Blocks, Fn.Blocks)) {
    if (B.Loop != None && B.Loop >= Fn.Loops.size())
      return broken("loop of a block");
    if (!frequency(B.Frequency))
      return broken("frequency of a block");
  }
  for (const EdgeFact &E : rowsOf(F.Edges, Fn.Edges)) {
    if (E.From >= Fn.Blocks.size() || E.To >= Fn.Blocks.size())
      return broken("block of an edge");
    if (!(E.Probability >= 0 && E.Probability <= 1))
      return broken("probability of an edge");
  }
  for (const TestFact &T : rowsOf(F.Tests, Fn.Tests)) {
    if (T.Block >= Fn.Blocks.size() || T.Then >= Fn.Blocks.size() ||
        T.Else >= Fn.Blocks.size())
      return broken("block of a test");
    if (T.Value >= Fn.Values.size() || T.Kind > TestKind::AtLeast)
      return broken("value of a test");
  }
  for (const StoreFact &S : rowsOf(F.Stores, Fn.Stores)) {
    if (S.Block >= Fn.Blocks.size())
      return broken("block of a store");
    if (!valueOrNone(S.Address, Fn) || !valueOrNone(S.Stored, Fn))
      return broken("value of a store");
  }
  return true;
}

bool Checker::acyclicLoops(const FunctionFact &Fn) {
  // Mark[L]: the walk that met L first; a walk that meets its own mark again
  // went round. Every loop is stepped over at most once.
  std::vector<uint32_t> Mark(Fn.Loops.size(), None);
  for (uint32_t Walk = 0; Walk < Mark.size(); ++Walk) {
    uint32_t L = Walk;
    for (; L != None && Mark[L] == None; L = F.Loops[Fn.Loops.Begin + L].Parent)
      Mark[L] = Walk;
    if (L != None && Mark[L] == Walk)
      return broken("parents of the loops form a cycle");
  }
  return true;
}

bool Checker::loops(const FunctionFact &Fn) {
  for (const LoopFact &L : rowsOf(F.Loops, Fn.Loops)) {
    if (L.Parent != None && L.Parent >= Fn.Loops.size())
      return broken("parent of a loop");
    if (!frequency(L.EntryFrequency) || !frequency(L.HeaderFrequency))
      return broken("frequency of a loop");
  }
  return acyclicLoops(Fn);
}

bool Checker::accesses(const FunctionFact &Fn) {
  for (const AccessFact &A : rowsOf(F.Accesses, Fn.Accesses)) {
    if (!valueOrNone(A.Address, Fn))
      return broken("address of an access");
    if (A.Kind > AccessForm::BulkWrite)
      return broken("kind of an access");
    if (A.Block >= Fn.Blocks.size())
      return broken("block of an access");
    if (!string(A.File))
      return broken("file of an access");
  }
  return true;
}

bool Checker::calls(const FunctionFact &Fn) {
  for (const CallFact &C : rowsOf(F.Calls, Fn.Calls)) {
    if (C.Kind > CallKind::Pointer)
      return broken("kind of a call");
    if (!string(C.Callee) || !string(C.File))
      return broken("string of a call");
    bool Table = C.Kind == CallKind::Table || C.TableRecord != None;
    if (Table && !fieldOf(C.TableRecord, C.TableField))
      return broken("function table of a call");
    if (!valuesOrNone(C.Args, Fn))
      return broken("arguments of a call");
    if (C.Block >= Fn.Blocks.size())
      return broken("block of a call");
  }
  return true;
}

/// Values and calls are numbers below these.
bool Checker::operands(const ValueFact &V, uint32_t Values, uint32_t Calls) {
  auto value = [&](ValueId Id) { return Id < Values; };
  auto valueOrNone = [&](ValueId Id) { return Id == None || value(Id); };
  if (!in(V.Args, F.ValueArgs))
    return broken("arguments of a value");
  switch (V.Kind) {
  case ValueKind::Unknown:
  case ValueKind::Const:
  case ValueKind::ThisCpu:
  case ValueKind::Current:
  case ValueKind::Param: // checked with its function
    return true;
  case ValueKind::Global:
  case ValueKind::Function:
    return string(V.A) || broken("name in a value");
  case ValueKind::Object:
    return string(V.B) || broken("name in a value");
  case ValueKind::Field:
  case ValueKind::Container:
    return (value(V.A) && fieldOf(V.B, V.C)) || broken("field in a value");
  case ValueKind::Load:
    return value(V.A) || broken("address of a load");
  case ValueKind::Element:
  case ValueKind::PerCpu:
    return (value(V.A) && valueOrNone(V.B)) || broken("index in a value");
  case ValueKind::Call:
    return V.A < Calls || broken("call of a value");
  case ValueKind::Local:
  case ValueKind::Choice: // checked with its function
    return true;
  }
  return broken("kind of a value");
}

bool Checker::values(const FunctionFact &Fn) {
  for (const ValueFact &V : rowsOf(F.Values, Fn.Values)) {
    if (!operands(V, Fn.Values.size(), Fn.Calls.size()))
      return false;
    if (!valuesOrNone(V.Args, Fn))
      return broken("alternative of a value");
    if (V.Kind == ValueKind::Param && V.A >= Fn.ParamCount)
      return broken("parameter in a value");
    if (V.Kind == ValueKind::Local && V.B != None && V.B >= Fn.Loops.size())
      return broken("loop of a local value");
  }
  return true;
}

/// No argument is named more than once, as far as their number tells.
bool Checker::argsDisjoint() {
  uint64_t Args = 0;
  for (const ValueFact &V : F.Values)
    Args += V.Args.size();
  for (const CallFact &C : F.Calls)
    Args += C.Args.size();
  for (const FunctionFact &Fn : F.Functions)
    Args += uint64_t(Fn.Returns.size()) + Fn.ParamRecords.size();
  return Args <= F.ValueArgs.size();
}

bool Checker::functions() {
  for (const FunctionFact &Fn : F.Functions) {
    if (!string(Fn.Key) || !string(Fn.Name) || !string(Fn.File))
      return broken("string of a function");
    if (!in(Fn.Values, F.Values) || !in(Fn.Accesses, F.Accesses) ||
        !in(Fn.Calls, F.Calls) || !in(Fn.Stores, F.Stores) ||
        !in(Fn.Blocks, F.Blocks) || !in(Fn.Loops, F.Loops) ||
        !in(Fn.Edges, F.Edges) || !in(Fn.Tests, F.Tests) ||
        !in(Fn.Returns, F.ValueArgs) || !in(Fn.ParamRecords, F.ValueArgs))
      return broken("range of a function");
    if (Fn.ParamRecords.size() != 0 && Fn.ParamRecords.size() != Fn.ParamCount)
      return broken("number of parameter records");
    if (!recordsOrNone(Fn.ParamRecords))
      return broken("record of a parameter");
  }
  for (const CallFact &C : F.Calls)
    if (!in(C.Args, F.ValueArgs))
      return broken("arguments of a call");
  // Overlapping ranges would make the walks below quadratic.
  uint64_t Rows = 0;
  for (const FunctionFact &Fn : F.Functions)
    Rows += uint64_t(Fn.Values.size()) + Fn.Accesses.size() + Fn.Calls.size() +
            Fn.Blocks.size() + Fn.Loops.size() + Fn.Edges.size() +
            Fn.Stores.size() + Fn.Tests.size();
  if (Rows > F.Values.size() + F.Accesses.size() + F.Calls.size() +
                 F.Blocks.size() + F.Loops.size() + F.Edges.size() +
                 F.Stores.size() + F.Tests.size() ||
      !argsDisjoint())
    return broken("ranges of functions overlap");
  for (const FunctionFact &Fn : F.Functions)
    if (!valuesOrNone(Fn.Returns, Fn))
      return broken("returned value of a function");
  for (const FunctionFact &Fn : F.Functions)
    if (!blocks(Fn) || !loops(Fn) || !accesses(Fn) || !calls(Fn) || !values(Fn))
      return false;
  return true;
}

bool Checker::tables() {
  for (const TableFact &T : F.Tables) {
    if (!string(T.Function))
      return broken("string of a function table");
    if (T.Record != None && !fieldOf(T.Record, T.Field))
      return broken("field of a function table");
  }
  for (const SlabFact &S : F.Slabs)
    if (S.Record >= F.Records.size() || !string(S.File) ||
        !std::has_single_bit(S.PointerBytes) ||
        (S.AlignBytes && !std::has_single_bit(S.AlignBytes)))
      return broken("slab cache");
  for (const VariableFact &V : F.Variables)
    if (!recordOrNone(V.Record) || !string(V.Key) || !string(V.File) ||
        !std::has_single_bit(V.AlignBytes))
      return broken("variable");
  for (const DropFact &D : F.Drops) {
    if (!recordOrNone(D.Record) || !string(D.File) || !string(D.Function))
      return broken("place of a dropped access");
  }
  for (const DemandFact &D : F.Demands)
    if (!demand(D))
      return false;
  for (const PointerFlowFact &P : F.PointerFlows) {
    if (!slot(P.From) || !slot(P.To))
      return broken("slot of a pointer");
    if (!string(P.Function) || !string(P.File))
      return broken("place of a pointer");
  }
  return true;
}

bool Checker::slot(const SlotFact &S) {
  switch (S.Kind) {
  case SlotKind::Record:
    return S.A < F.Records.size();
  case SlotKind::Param:
  case SlotKind::Result:
  case SlotKind::Global:
  case SlotKind::Holder:
    return string(S.A);
  case SlotKind::Member:
  case SlotKind::TableParam:
  case SlotKind::TableResult:
    return fieldOf(S.A, S.B);
  case SlotKind::Scalar:
    return S.A != 0 && S.A <= 16 && S.B <= 1;
  case SlotKind::Opaque:
    return string(S.A) && S.C < uint32_t(OpaqueKind::Count);
  case SlotKind::Number:
    return S.A < uint32_t(NumberKind::Count);
  case SlotKind::Byte:
    return true;
  case SlotKind::Count:
    break;
  }
  return false;
}

bool Checker::demand(const DemandFact &D) {
  if (D.Kind >= DemandKind::Count)
    return broken("kind of a demand");
  if (!string(D.Function) || !string(D.File))
    return broken("place of a demand");
  bool OpenBegin = D.Kind == DemandKind::Overrun && D.Field == None &&
                   D.Record < F.Records.size();
  if (!OpenBegin && !fieldOf(D.Record, D.Field))
    return broken("field of a demand");
  switch (D.Kind) {
  case DemandKind::AssertedOrder:
  case DemandKind::AssertedSpan:
  case DemandKind::MadeAfter:
    return fieldOf(D.Record, D.Other) || broken("other field of a demand");
  case DemandKind::Distance:
  case DemandKind::Overrun:
    return D.Other == None || fieldOf(D.Record, D.Other) ||
           broken("other field of a demand");
  default:
    return D.Other == None || broken("other field of a demand");
  }
}

template <typename Visit>
void Checker::children(const ValueFact &V, Visit Each) {
  switch (V.Kind) {
  case ValueKind::Element:
  case ValueKind::PerCpu:
    if (V.B != None)
      Each(V.B);
    [[fallthrough]];
  case ValueKind::Field:
  case ValueKind::Container:
  case ValueKind::Load:
    Each(V.A);
    break;
  case ValueKind::Choice:
    for (ValueId Arg : rowsOf(F.ValueArgs, V.Args))
      if (Arg != None)
        Each(Arg);
    break;
  default:
    break;
  }
}

bool Checker::acyclicValues(const FunctionFact &Fn) {
  const auto Values = rowsOf(F.Values, Fn.Values);
  bool Ordered = true; // operands before users: the usual case, and enough
  for (uint32_t I = 0; I < Values.size(); ++I)
    children(Values[I], [&](ValueId Child) { Ordered &= Child < I; });
  if (Ordered)
    return true;
  // Kahn: take away values that nothing uses; a cycle never becomes unused.
  std::vector<uint32_t> Users(Values.size(), 0), Free;
  for (const ValueFact &V : Values)
    children(V, [&](ValueId Child) { ++Users[Child]; });
  for (uint32_t I = 0; I < Users.size(); ++I)
    if (Users[I] == 0)
      Free.push_back(I);
  size_t Taken = 0;
  for (; !Free.empty(); ++Taken) {
    ValueId Id = Free.back();
    Free.pop_back();
    children(Values[Id], [&](ValueId Child) {
      if (--Users[Child] == 0)
        Free.push_back(Child);
    });
  }
  return Taken == Values.size() || broken("values form a cycle");
}

std::optional<Failure> Checker::run() {
  bool Good = true;
  if (F.Strings.empty() || !F.Strings[0].empty())
    Good = broken("the first string is not empty");
  else if (!string(F.MainFile) || !string(F.Triple))
    Good = broken("name of the unit");
  countArgs();
  Good = Good && records();
  for (size_t I = 0; Good && I < F.Values.size(); ++I)
    Good = operands(F.Values[I], F.Values.size(), F.Calls.size());
  Good = Good && functions() && tables();
  for (size_t I = 0; Good && I < F.Functions.size(); ++I)
    Good = acyclicValues(F.Functions[I]);
  if (Good)
    return std::nullopt;
  return Failure{std::string("inconsistent facts: ") + Why};
}

} // namespace

std::optional<Failure> checkFacts(const TuFacts &Facts) {
  return Checker(Facts).run();
}

} // namespace kst
