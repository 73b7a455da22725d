// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FunctionRows.h"

#include "analyzer/facts/Calls.h"
#include "analyzer/facts/FunctionTraits.h"
#include "analyzer/facts/OwnCode.h"

using namespace clang;

namespace kst {

template <typename T>
static Range appended(std::vector<T> &Table, const std::vector<T> &Rows) {
  Range Where{uint32_t(Table.size()), uint32_t(Table.size() + Rows.size())};
  Table.insert(Table.end(), Rows.begin(), Rows.end());
  return Where;
}

void FunctionRows::append(FactsBuilder &Unit, const FunctionDecl *Function,
                          ValueBuilder &Values, const FlowEstimate &Flow) {
  TuFacts &Facts = Unit.Facts;
  FunctionFact Fact;
  Fact.Key = Unit.functionKey(Function);
  Fact.Name = Unit.functionName(Function);
  std::tie(Fact.File, Fact.Line) = Unit.place(Function->getLocation());
  Fact.Flags = functionFlags(Function);
  if (isOwnFunction(Unit.context(), Function))
    Fact.Flags |= FnOwn;
  Fact.ParamCount = paramCount(Function);

  std::vector<uint32_t> ParamRecords;
  if (takesThis(Function))
    ParamRecords.push_back(
        Unit.record(cast<CXXMethodDecl>(Function)->getParent()));
  for (const ParmVarDecl *Param : Function->parameters()) {
    const QualType Type = Param->getType();
    ParamRecords.push_back(Type->isPointerType() || Type->isReferenceType()
                               ? Unit.pointee(Type)
                               : None);
  }
  Fact.ParamRecords = appended(Facts.ValueArgs, ParamRecords);
  Fact.Returns = appended(Facts.ValueArgs, Returns);
  for (unsigned I = 0; I != Calls.size(); ++I)
    Calls[I].Args = appended(Facts.ValueArgs, CallArgs[I]);
  uint32_t ArgBase = Facts.ValueArgs.size();
  appended(Facts.ValueArgs, Values.Args);
  for (ValueFact &Value : Values.Values) {
    Value.Args.Begin += ArgBase;
    Value.Args.End += ArgBase;
  }
  Fact.Values = appended(Facts.Values, Values.Values);
  Fact.Accesses = appended(Facts.Accesses, Accesses);
  Fact.Calls = appended(Facts.Calls, Calls);
  Fact.Stores = appended(Facts.Stores, Stores);
  Fact.Blocks = appended(Facts.Blocks, Flow.Blocks);
  Fact.Loops = appended(Facts.Loops, Flow.Loops);
  Fact.Edges = appended(Facts.Edges, Flow.Edges);
  Fact.Tests = appended(Facts.Tests, Tests);
  Facts.Functions.push_back(Fact);
}

} // namespace kst
