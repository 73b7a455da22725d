// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Configuration.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <tuple>

namespace kst {

namespace {

/// The variable or field that a call's first argument is the address of.
std::string_view lockName(const TuFacts &Facts, const FunctionFact &Fact,
                          const CallFact &Call) {
  if (!Call.Args.size() || Facts.ValueArgs[Call.Args.Begin] == None)
    return {};
  const ValueFact &Lock =
      Facts.Values[Fact.Values.Begin + Facts.ValueArgs[Call.Args.Begin]];
  if (Lock.Kind == ValueKind::Global)
    return Facts.Strings[Lock.A];
  if (Lock.Kind != ValueKind::Field)
    return {};
  const RecordFact &Record = Facts.Records[Lock.B];
  return Facts.Strings[Facts.Fields[Record.Fields.Begin + Lock.C].Name];
}

/// Only those who call it here can reach it. A function that modules may call
/// too is configuration only if its name agrees.
bool isClosed(const Program &Whole, const LinkedFunction &Function) {
  uint32_t Flags = Function.Fact->Flags;
  const std::string &Name = Whole.text(Function.Unit, Function.Fact->Name);
  if (Function.AddressTaken || Flags & FnSyscall ||
      (Function.InWorkTable && !Function.TableCalled))
    return false;
  return !(Flags & FnExported) || isRareName(Name);
}

bool takesRequest(const Program &Whole, FunctionId Id) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const Range Params = Whole.Functions[Id].Fact->ParamRecords;
  for (uint32_t I = Params.Begin; I != Params.End; ++I)
    if (RecordId Marked =
            Whole.record(Whole.Functions[Id].Unit, Facts.ValueArgs[I]);
        Marked != None &&
        isA(NameKind::ConfigurationRequest, Whole.recordName(Marked)))
      return true;
  return false;
}

} // namespace

ConfigurationCode::ConfigurationCode(const Program &Whole,
                                     const CodeFrequencies &Code)
    : All(Whole.Functions.size()), Checked(All.size()),
      Index(All.size(), None) {
  for (FunctionId Id = 0; Id != All.size(); ++Id)
    findMarks(Whole, Id);
  spread(Whole, Code);
}

ConfigurationCode::MarkKind
ConfigurationCode::markOf(std::string_view Function) {
  return isA(NameKind::ConfigurationBegins, Function)    ? MarkKind::Begins
         : isA(NameKind::ConfigurationTries, Function)   ? MarkKind::Tries
         : isA(NameKind::ConfigurationEnds, Function)    ? MarkKind::Ends
         : isA(NameKind::ConfigurationChecked, Function) ? MarkKind::Checked
                                                         : MarkKind::None;
}

/// For functions that take or release the lock that their argument names.
ConfigurationCode::MarkKind
ConfigurationCode::lockMarkOf(std::string_view Function) {
  return isA(NameKind::LockTaken, Function)      ? MarkKind::Begins
         : isA(NameKind::LockTried, Function)    ? MarkKind::Tries
         : isA(NameKind::LockReleased, Function) ? MarkKind::Ends
                                                 : MarkKind::None;
}

/// From which blocks on some way ends a configuration before another begins:
/// where a lock was tried, the way on which it is held.
std::vector<bool> ConfigurationCode::waysToEnd(const TuFacts &Facts,
                                               const FunctionFact &Fact,
                                               const Held &Marked) {
  std::vector<bool> Ends(Fact.Blocks.size()), Fixed(Fact.Blocks.size());
  for (const Mark &M : Marked.Marks)
    if (!Fixed[M.Block]) {
      Fixed[M.Block] = true;
      Ends[M.Block] = M.Kind == MarkKind::Ends;
    }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const EdgeFact &Edge : rowsOf(Facts.Edges, Fact.Edges)) {
      if (!Ends[Edge.From] && !Fixed[Edge.From] && Ends[Edge.To])
        Ends[Edge.From] = Changed = true;
    }
  }
  return Ends;
}

void ConfigurationCode::findMarks(const Program &Whole, FunctionId Id) {
  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  Held Marked;
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
    std::string_view Name = Whole.calleeName(Whole.Functions[Id].Unit, Call);
    MarkKind Kind = markOf(Name);
    if (Kind == MarkKind::None)
      if (MarkKind Lock = lockMarkOf(Name);
          Lock != MarkKind::None &&
          isA(NameKind::ConfigurationLock, lockName(Facts, Fact, Call)))
        Kind = Lock;
    if (Kind == MarkKind::Checked)
      Checked[Id] = true;
    else if (Kind != MarkKind::None)
      Marked.Marks.push_back({Call.Block, Call.Order, Kind});
  }
  if (Marked.Marks.empty())
    return;
  std::ranges::sort(Marked.Marks, {},
                    [](const Mark &M) { return std::tuple(M.Block, M.Order); });
  // On all ways: from "held everywhere" down, but not at the entry.
  const uint32_t Blocks = Fact.Blocks.size();
  Marked.AtBegin.assign(Blocks, true);
  Marked.AtBegin[Blocks - 1] = false;
  const std::vector<bool> Ends = waysToEnd(Facts, Fact, Marked);
  auto Follows = [&](const EdgeFact &Edge) {
    bool Now = Marked.AtBegin[Edge.From];
    for (const Mark &M : Marked.Marks)
      if (M.Block == Edge.From)
        Now = M.Kind == MarkKind::Tries ? Ends[Edge.To]
                                        : M.Kind == MarkKind::Begins;
    return Now;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t I = Fact.Edges.End; I-- != Fact.Edges.Begin;) {
      const EdgeFact &Edge = Facts.Edges[I];
      if (Marked.AtBegin[Edge.To] && !Follows(Edge)) {
        Marked.AtBegin[Edge.To] = false;
        Changed = true;
      }
    }
  }
  Index[Id] = Locked.size();
  Locked.push_back(std::move(Marked));
}

bool ConfigurationCode::held(FunctionId Function, uint32_t Block,
                             uint32_t Order) const {
  if (Index[Function] == None)
    return false;
  const Held &Marked = Locked[Index[Function]];
  bool Now = Marked.AtBegin[Block];
  for (const Mark &M : Marked.Marks)
    if (M.Block == Block && M.Order < Order)
      Now = M.Kind == MarkKind::Begins;
  return Now;
}

bool ConfigurationCode::at(FunctionId Function, uint32_t Block,
                           uint32_t Order) const {
  return All[Function] || held(Function, Block, Order);
}

/// From "all that is called here" down: what is called from elsewhere as well
/// is not, and so on along the calls.
void ConfigurationCode::spread(const Program &Whole,
                               const CodeFrequencies &Code) {
  std::vector<std::vector<FunctionId>> OutsideOfLocks(All.size());
  std::vector<bool> Called(All.size());
  for (FunctionId Id = 0; Id != All.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
      bool Held = held(Id, Call.Block, Call.Order);
      for (const PossibleCallee &Callee : Code.callees(Id, Call)) {
        if (Callee.Function == Id)
          continue;
        Called[Callee.Function] = true;
        if (!Held)
          OutsideOfLocks[Id].push_back(Callee.Function);
      }
    }
  }
  std::vector<FunctionId> Work;
  std::vector<bool> Always(All.size());
  for (FunctionId Id = 0; Id != All.size(); ++Id) {
    const LinkedFunction &Function = Whole.Functions[Id];
    bool OnlyTables = Function.InTable && !Function.InWorkTable &&
                      !Called[Id] && !Function.AddressTaken;
    bool OwnCode = markOf(Whole.text(Function.Unit, Function.Fact->Name)) !=
                   MarkKind::None;
    Always[Id] =
        Function.Fact->Flags & FnInit || Checked[Id] || OnlyTables || OwnCode;
    // Requests come through tables that nobody sees, and from there on down.
    All[Id] = Always[Id] || takesRequest(Whole, Id) ||
              (Called[Id] && isClosed(Whole, Function));
    if (!All[Id])
      Work.push_back(Id);
  }
  while (!Work.empty()) {
    FunctionId Id = Work.back();
    Work.pop_back();
    for (FunctionId Callee : OutsideOfLocks[Id])
      if (All[Callee] && !Always[Callee]) {
        All[Callee] = false;
        Work.push_back(Callee);
      }
  }
}

} // namespace kst
