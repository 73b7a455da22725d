// SPDX-License-Identifier: GPL-2.0-or-later
//
// What local variables hold: see ValueBuilder.h.

#include "analyzer/facts/ValueBuilder.h"

#include "analyzer/facts/Calls.h"

#include "clang/AST/Expr.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace clang;

namespace kst {

/// Values that one variable may have; more are left out.
static constexpr unsigned MaxAlternatives = 6;

ValueId ValueBuilder::memory(const void *Of, llvm::StringRef Name) {
  auto [It, New] = Objects.try_emplace(Of, None);
  if (New)
    It->second = make(ValueKind::Object, Objects.size() - 1,
                      Name.empty() ? 0 : Unit.string(Name.str()));
  return It->second;
}

ValueId ValueBuilder::object(const VarDecl *Var) {
  return memory(Var, Var->getIdentifier() ? Var->getName() : "");
}

/// Whether what sets the variable may have run.
bool ValueBuilder::isSetBefore(const VarDecl *Var, const LocalVariable &Local) {
  auto [It, New] = SetBefore.try_emplace(Var);
  if (New) {
    It->second.resize(Flow.Blocks.size());
    llvm::SmallVector<uint32_t, 16> Next;
    for (const LocalDefinition &D : Local.Definitions)
      Next.push_back(D.Block);
    while (!Next.empty()) {
      const uint32_t At = Next.pop_back_val();
      if (It->second[At] || !(Flow.Blocks[At].Frequency > 0))
        continue;
      It->second[At] = true;
      for (const EdgeFact &Edge :
           std::ranges::equal_range(Flow.Edges, At, {}, &EdgeFact::From))
        Next.push_back(Edge.To);
    }
  }
  return It->second[Block];
}

ValueId ValueBuilder::valueOf(const LocalDefinition &Definition) {
  llvm::SaveAndRestore There(Block, uint32_t(Definition.Block));
  if (Definition.How == LocalDefinition::Asm)
    return asmOutput(Definition.From);
  if (Definition.How == LocalDefinition::Bound)
    return address(Definition.Value);
  return Definition.Value ? rvalue(Definition.Value) : unknown();
}

ValueId ValueBuilder::variable(const VarDecl *Var) {
  if (const auto *Param = dyn_cast<ParmVarDecl>(Var))
    if (const LocalVariable *Local = Locals.find(Var);
        Local && !isSetBefore(Var, *Local))
      return make(ValueKind::Param, paramNumber(Param));
  auto [It, New] = Variables.try_emplace(Var, None);
  if (New) {
    ValueId Id = computeVariable(Var);
    return Variables[Var] = Id;
  }
  // Asked for while it is being computed: the variable depends on itself, as
  // in `p = p->next`. It stands for itself and is completed below.
  if (It->second == None)
    return It->second = makeWithArgs(ValueKind::Local, Serial++, None, {});
  return It->second;
}

ValueId ValueBuilder::asmOutput(const GCCAsmStmt *From) {
  // `asm ("" : "=r" (x) : "0" (y))` hides y from the optimiser; a per-CPU
  // read names its memory as the only input.
  if (From->getNumInputs() != 1)
    return unknown();
  const Expr *Input = From->getInputExpr(0);
  if (From->getInputConstraint(0).find('m') != llvm::StringRef::npos)
    return Input->isGLValue() ? load(Input) : unknown();
  return rvalue(Input);
}

ValueId ValueBuilder::before(const VarDecl *Var, const GCCAsmStmt *Asm) {
  const LocalVariable *Local = Locals.find(Var);
  const LocalDefinition *Only = nullptr;
  unsigned Others = 0;
  for (const LocalDefinition &D :
       Local ? Local->Definitions : llvm::SmallVector<LocalDefinition, 2>())
    if (D.How != LocalDefinition::Asm || D.From != Asm) {
      Only = &D;
      ++Others;
    }
  const auto *Param = dyn_cast<ParmVarDecl>(Var);
  if (Param && !Others)
    return make(ValueKind::Param, paramNumber(Param));
  if (!Param && Others == 1 && Only->How == LocalDefinition::Assigned)
    return valueOf(*Only);
  return variable(Var);
}

/// `struct s *p = NULL; if (make(&p))`: a pointer that nothing but null is
/// assigned to holds what others put there.
bool ValueBuilder::isSetByAddress(
    const VarDecl *Var, llvm::ArrayRef<LocalDefinition> Definitions) const {
  return Locals.find(Var)->AddressTaken && !isa<ParmVarDecl>(Var) &&
         Var->getType()->isPointerType() &&
         llvm::all_of(Definitions, [&](const LocalDefinition &D) {
           return D.How == LocalDefinition::Assigned &&
                  D.Value->isNullPointerConstant(
                      Unit.context(), Expr::NPC_ValueDependentIsNotNull);
         });
}

ValueId ValueBuilder::computeVariable(const VarDecl *Var) {
  const LocalVariable *Local = Locals.find(Var);
  const auto *Param = dyn_cast<ParmVarDecl>(Var);
  ValueId Start = Param ? make(ValueKind::Param, paramNumber(Param)) : None;
  if (Local && isSetByAddress(Var, Local->Definitions))
    return loadFrom(object(Var));
  if (!Local || Local->Definitions.empty())
    return Param ? Start : unknown();

  // The arms of `switch (sizeof(x))` that cannot be reached do not count.
  llvm::SmallVector<LocalDefinition, 4> Definitions;
  for (const LocalDefinition &D : Local->Definitions)
    if (Flow.Blocks[D.Block].Frequency > 0)
      Definitions.push_back(D);
  if (Definitions.empty())
    return Param ? Start : unknown();
  if (isSetByAddress(Var, Definitions))
    return loadFrom(object(Var));
  if (!Param && Definitions.size() == 1)
    return Definitions[0].How == LocalDefinition::Added
               ? unknown()
               : valueOf(Definitions[0]);

  // `T p = offset; p += (T)&variable;`: raw_cpu_ptr() on x86.
  const LocalDefinition *First = nullptr, *Second = nullptr;
  if (!Param && Definitions.size() == 2)
    for (const LocalDefinition &D : Definitions)
      (D.How == LocalDefinition::Added ? Second : First) = &D;
  if (First && Second && Second->Value &&
      Flow.Blocks[First->Block].Loop == Flow.Blocks[Second->Block].Loop) {
    ValueId Id = sum(valueOf(*First), valueOf(*Second));
    if (Values[Id].Kind != ValueKind::Unknown)
      return Id;
  }

  uint32_t Loop = None;
  for (const LocalDefinition &D : Definitions) {
    uint32_t Of = Flow.Blocks[D.Block].Loop;
    // Loops are numbered outer before inner: the larger is the deeper one.
    if (Of != None && (Loop == None || Of > Loop))
      Loop = Of;
  }
  llvm::SmallVector<uint32_t, MaxAlternatives> Of;
  if (Param)
    Of.push_back(Start);
  for (const LocalDefinition &D : Definitions)
    if (D.How != LocalDefinition::Added && Of.size() < MaxAlternatives)
      Of.push_back(valueOf(D));
  ValueId Self = Variables[Var];
  if (Self == None)
    return makeWithArgs(ValueKind::Local, Serial++, Loop, Of);
  Values[Self].B = Loop;
  Values[Self].Args.Begin = Args.size();
  for (uint32_t Id : Of)
    if (Id != Self)
      Args.push_back(Id);
  Values[Self].Args.End = Args.size();
  return Self;
}

} // namespace kst
