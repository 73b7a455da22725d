// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/VisitBasis.h"

#include "hybrid/program/FunctionEffects.h"
#include "hybrid/program/Lifetimes.h"
#include "hybrid/program/SummaryOrder.h"

#include <algorithm>

namespace kst {

namespace {

void addOnce(std::vector<FunctionId> &To, FunctionId Id) {
  if (To.empty() || To.back() != Id)
    To.push_back(Id);
}

void sortOnce(std::vector<FunctionId> &Ids) {
  std::ranges::sort(Ids);
  Ids.erase(std::unique(Ids.begin(), Ids.end()), Ids.end());
}

} // namespace

VisitBasis::VisitBasis(const Program &Whole, const Frequencies &Often,
                       const CodeFrequencies &Code)
    : Whole(Whole), Often(Often), Code(Code), Places(Whole),
      Configured(Whole, Code), HasRounds(threadRounds(Whole, Code).Functions),
      Order(calleesFirst(callGraph(Whole, Code), Often.Total)),
      Turns(Whole.Functions.size()), Returns(Whole.Functions.size(), None),
      Lifetimes(Whole.Functions.size()), Summaries(Whole.Functions.size()),
      Callers(Whole.Functions.size()), Naming(Whole.recordCount()) {
  for (uint32_t Turn = 0; Turn != Order.size(); ++Turn)
    Turns[Order[Turn]] = Turn;
  const SubjectRecord Nobody = SubjectRecord::none(Whole, Places);
  std::vector<std::vector<PassedObject>> Objects(Whole.Functions.size());
  for (FunctionId Id : Order)
    summarize(Id, Nobody, Objects);
  Passed.emplace(Whole, Objects);
  for (std::vector<FunctionId> &Ids : Naming)
    sortOnce(Ids);
  for (auto &[Size, Ids] : Moving)
    sortOnce(Ids);
  for (std::vector<FunctionId> &Ids : Callers)
    sortOnce(Ids);
}

void VisitBasis::summarize(FunctionId Id, const SubjectRecord &Nobody,
                           std::vector<std::vector<PassedObject>> &Objects) {
  ValueTranslator Values(Whole, Id, Pool, returnsAt(Id));
  // With a translator of its own: what Values names is what the function
  // deals with.
  ValueTranslator OfObjects(Whole, Id, Pool, returnsAt(Id));
  FunctionLifetimes Lives(Whole, Code, Id, Pool, OfObjects, lifetimesAt(Id));
  LinkDrops Drops;
  FunctionEffects Here(Whole, Code, Nobody, Pool, Id, Values,
                       KnownEffects(Summaries), Lives, Configured,
                       HasRounds[Id], Drops);
  Here.collect();
  Lifetimes[Id] = Lives.summary();
  Objects[Id] = Lives.passed();
  Returns[Id] = Values.returned();
  for (auto &[Key, Inner] : Here.All)
    if (!Pool.traits(Key.Instance).Opaque && Key.Round == None)
      Summaries[Id].emplace_hint(Summaries[Id].end(), Key, std::move(Inner));
  indexText(Id, Values.named());

  const TuFacts &Facts = Whole.unitOf(Id);
  const FunctionFact &Fact = *Whole.Functions[Id].Fact;
  for (const AccessFact &Access : rowsOf(Facts.Accesses, Fact.Accesses))
    if (Access.SizeBytes && (Access.Kind == AccessForm::BulkRead ||
                             Access.Kind == AccessForm::BulkWrite))
      addOnce(Moving[Access.SizeBytes], Id);
  for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls))
    for (const PossibleCallee &Callee : Code.callees(Id, Call))
      if (Turns[Callee.Function] < Turns[Id])
        addOnce(Callers[Callee.Function], Id);
}

/// The records of which the function names a field or takes the container, in
/// its own text or by what its callees return.
void VisitBasis::indexText(FunctionId Id, const std::set<LinkId> &Named) {
  const LinkedFunction &Function = Whole.Functions[Id];
  const TuFacts &Facts = Whole.unitOf(Id);
  std::set<RecordId> Records;
  for (const ValueFact &Value : rowsOf(Facts.Values, Function.Fact->Values))
    if (Value.Kind == ValueKind::Field || Value.Kind == ValueKind::Container)
      Records.insert(Whole.record(Function.Unit, Value.B));
  std::set<LinkId> Seen;
  std::vector<LinkId> Open(Named.begin(), Named.end());
  while (!Open.empty()) {
    const LinkId Next = Open.back();
    Open.pop_back();
    if (Next == None || !Seen.insert(Next).second)
      continue;
    const LinkValue &Value = Pool[Next];
    switch (Value.Kind) {
    case ValueKind::Field:
    case ValueKind::Container:
      Records.insert(Value.B);
      Open.push_back(Value.A);
      break;
    case ValueKind::Load:
      Open.push_back(Value.A);
      break;
    case ValueKind::Element:
    case ValueKind::PerCpu:
      Open.push_back(Value.A);
      Open.push_back(Value.B);
      break;
    case ValueKind::Local:
    case ValueKind::Choice:
      for (LinkId Option : Pool.alternatives(Next))
        Open.push_back(Option);
      break;
    default:
      break;
    }
  }
  for (RecordId Record : Records)
    if (Record != None)
      Naming[Record].push_back(Id);
}

std::vector<FunctionId>
VisitBasis::functionsOn(const SubjectRecord &Subject) const {
  std::vector<FunctionId> Found = Naming[Subject.id()];
  auto Add = [&](const std::vector<FunctionId> &More) {
    Found.insert(Found.end(), More.begin(), More.end());
  };
  // What is done to building blocks, all subjects share.
  for (RecordId Part : Subject.parts())
    if (!Places.isBlock(Part))
      Add(Naming[Part]);
  for (const auto &[Pointer, Aim] : Subject.aims())
    if (Pointer.first != None)
      Add(Naming[Pointer.first]);
  if (auto It = Moving.find(Subject.sizeBytes()); It != Moving.end())
    Add(It->second);
  sortOnce(Found);
  return Found;
}

} // namespace kst
