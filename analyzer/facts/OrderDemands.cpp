// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/OrderDemands.h"

#include "analyzer/facts/Assertions.h"
#include "analyzer/facts/CxxDemands.h"
#include "analyzer/facts/DemandCollector.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace kst {

struct OrderDemands::State {
  explicit State(FactsBuilder &Unit)
      : Demands(Unit), Flows(Unit), Offsets(Unit.context()) {}
  DemandTable Demands;
  PointerFlows Flows;
  OffsetReader Offsets;
  OffsetValues::ReturnedSums Returned;
  SteppedParams Stepped;
};

OrderDemands::OrderDemands(FactsBuilder &Unit)
    : Of(std::make_unique<State>(Unit)) {}
OrderDemands::~OrderDemands() = default;

void OrderDemands::addFunction(const FunctionDecl *Function) {
  Of->Demands.setFunction(Function);
  Of->Flows.beginFunction(Function);
  DemandCollector Collector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped);
  if (const auto *Made = dyn_cast<CXXConstructorDecl>(Function))
    for (const CXXCtorInitializer *Init : Made->inits())
      Collector.visitInitializer(Init);
  Collector.visit(Function->getBody());
  Collector.finish(Function->getBody());
  Of->Flows.endFunction();
  Of->Demands.setFunction(nullptr);
}

void OrderDemands::addVariable(const VarDecl *Variable) {
  const Expr *Init = Variable->getInit();
  if (!Init)
    return;
  Of->Flows.addVariable(Variable);
  MeasuredNumbers(Of->Demands.unit(), Of->Flows).addVariable(Variable);
  DemandCollector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped)
      .visit(Init);
}

void OrderDemands::addClass(const CXXRecordDecl *Class) {
  if (Class->isThisDeclarationADefinition() && !Class->isLambda() &&
      !Class->isInvalidDecl())
    addMakingOrder(Of->Demands, Class);
}

void OrderDemands::addDeclared(const FunctionDecl *Function) {
  if (Function->isExplicitlyDefaulted() && !Function->isInvalidDecl() &&
      Function->getOverloadedOperator() == OO_Spaceship)
    addDefaultOrder(Of->Demands, Function);
}

void OrderDemands::addEnum(const EnumDecl *Enum) {
  for (const EnumConstantDecl *Constant : Enum->enumerators())
    if (const Expr *Init = Constant->getInitExpr();
        Init && mentionsOffset(Init))
      DemandCollector(Of->Demands, Of->Flows, Of->Returned, Of->Stepped)
          .visit(Init);
}

void OrderDemands::addAssertion(const StaticAssertDecl *Assertion) {
  kst::addAssertion(Of->Demands, Assertion->getAssertExpr());
}

} // namespace kst
