// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/PointerViews.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/MemberRanges.h"
#include "analyzer/facts/PointerSteps.h"

using namespace clang;

namespace kst {

namespace {

/// Marks the parameters that a body indexes or moves.
class StepFinder {
public:
  explicit StepFinder(llvm::SmallVectorImpl<bool> &Found) : Found(Found) {}

  void visit(const Stmt *S) {
    if (const auto *Index = dyn_cast<ArraySubscriptExpr>(S))
      mark(Index->getBase(), Index->getIdx());
    else if (const auto *Unary = dyn_cast<UnaryOperator>(S);
             Unary && Unary->isIncrementDecrementOp())
      mark(Unary->getSubExpr(), nullptr);
    else if (const auto *Binary = dyn_cast<BinaryOperator>(S);
             Binary &&
             (Binary->isAdditiveOp() || Binary->getOpcode() == BO_AddAssign))
      mark(Binary->getLHS(), Binary->getRHS());
    for (const Stmt *Child : S->children())
      if (Child)
        visit(Child);
  }

private:
  void mark(const Expr *Pointer, const Expr *Index) {
    const auto *Param = dyn_cast_or_null<ParmVarDecl>(
        namedLocal(Pointer->IgnoreParenImpCasts()));
    const auto *Zero = dyn_cast_or_null<IntegerLiteral>(
        Index ? Index->IgnoreParenImpCasts() : nullptr);
    if (Param && !(Zero && Zero->getValue() == 0) &&
        Param->getFunctionScopeIndex() < Found.size())
      Found[Param->getFunctionScopeIndex()] = true;
  }

  llvm::SmallVectorImpl<bool> &Found;
};

/// The numbers that a pointer leads to; null for bytes and all else.
QualType pointedNumber(QualType Pointer) {
  if (!Pointer->isPointerType())
    return {};
  QualType Type = Pointer->getPointeeType();
  return Type->isScalarType() && !Type->isCharType() && !Type->isBooleanType()
             ? Type
             : QualType();
}

} // namespace

bool SteppedParams::isStepped(const FunctionDecl *Function, unsigned Number) {
  const FunctionDecl *Body = nullptr;
  if (!Function->hasBody(Body))
    return false;
  auto [It, New] = Known.try_emplace(Body);
  if (New) {
    llvm::SmallVector<bool, 4> Found(Body->getNumParams(), false);
    StepFinder(Found).visit(Body->getBody());
    It->second = std::move(Found);
  }
  return Number < It->second.size() && It->second[Number];
}

void PointerViews::addCast(const CastExpr *Cast) {
  QualType To = Cast->getType();
  if (!isa<ExplicitCastExpr>(Cast) || !To->isPointerType())
    return;
  To = To->getPointeeType();
  if (const RecordDecl *Record = To->getAsRecordDecl();
      Record && Record->getDefinition())
    if (const VarDecl *Var = namedLocal(Cast->getSubExpr()))
      Memories[Var].TakenFor.push_back(Record->getDefinition());
  if (To->isVoidType() || To->isCharType() || To->isIncompleteType() ||
      To->isFunctionType())
    return;
  const Expr *Base;
  OffsetSum Place = Offsets.ofMember(Cast->getSubExpr(), Base);
  if (!Base || Place.Terms.empty() ||
      Place.Terms[0].Field->getType()->isRecordType())
    return;
  addReach(Demands, Offsets, Place, Offsets.size(To), Cast->getExprLoc());
}

PointerViews::Seen PointerViews::views(const Expr *Pointer) const {
  Pointer = Pointer->IgnoreParenImpCasts();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Pointer);
      Unary && Unary->isIncrementDecrementOp())
    Pointer = Unary->getSubExpr()->IgnoreParenImpCasts();
  QualType Number = pointedNumber(Pointer->getType());
  if (Number.isNull())
    return {};
  int64_t Bytes = Offsets.size(Number);
  if (const RecordDecl *Record = recordBeforeCast(Pointer))
    return startsLike(Record, Number) ? Seen{View{nullptr, Record, Bytes}}
                                      : Seen();
  if (const VarDecl *Var = namedLocal(Pointer)) {
    auto It = Locals.find(Var);
    return It == Locals.end() ? Seen() : It->second;
  }
  const Expr *Base;
  OffsetSum Place = Offsets.ofMember(Pointer, Base);
  if (!Base || Place.Terms.empty() || !Place.Linear || Place.Constant)
    return {};
  const FieldDecl *Field = Place.Terms[0].Field;
  if (!Field->getType()->isScalarType() || Field->isBitField())
    return {};
  return {View{Field, nullptr, Bytes}};
}

void PointerViews::setLocal(const VarDecl *Var, const Expr *Value) {
  if (!Var->getType()->isPointerType())
    return;
  for (const View &One : views(Value))
    if (Seen &Known = Locals[Var]; !llvm::is_contained(Known, One))
      Known.push_back(One);
}

void PointerViews::addStep(const Expr *Pointer, const Expr *Index,
                           SourceLocation Where) {
  if (!namedLocal(Pointer->IgnoreParenImpCasts()))
    return;
  int64_t Count = 0;
  bool Constant = Index && Offsets.evaluate(Index, Count);
  for (const View &One : views(Pointer)) {
    if (One.Member && (!Constant || Count))
      addMemberStep(Demands, Offsets, One.Member, Constant, Count, Where);
    else if (One.Record && Constant)
      addUpTo(Demands, Offsets, One.Record, (Count + 1) * One.Bytes - 1, Where);
    else if (One.Record)
      Demands.add(DemandKind::Overrun, One.Record, None, None, Where);
  }
}

void PointerViews::addSkip(const Expr *Pointer, const Expr *Bytes,
                           SourceLocation Where) {
  const VarDecl *Var = namedLocal(Pointer->IgnoreParenCasts());
  const auto *Size =
      dyn_cast<UnaryExprOrTypeTraitExpr>(Bytes->IgnoreParenImpCasts());
  if (!Var || !Size || Size->getKind() != UETT_SizeOf)
    return;
  QualType Seen = Pointer->getType();
  if (!Seen->isPointerType() || !(Seen->getPointeeType()->isVoidType() ||
                                  Seen->getPointeeType()->isCharType()))
    return;
  if (const RecordDecl *Record = Size->getTypeOfArgument()->getAsRecordDecl();
      Record && Record->getDefinition())
    Memories[Var].Skipped.push_back({Record->getDefinition(), Where});
}

void PointerViews::addParts() {
  for (const auto &[Var, Of] : Memories)
    for (const RecordDecl *Record : Of.TakenFor)
      for (const auto &[Part, Where] : Of.Skipped) {
        if (Record->isUnion() || Record->field_empty() || Record == Part)
          continue;
        const FieldDecl *First = *Record->field_begin();
        const RecordDecl *Held = First->getType()->getAsRecordDecl();
        if (Held && Held->getDefinition() == Part)
          addUpTo(Demands, Offsets, Record, 0, Where);
      }
}

void PointerViews::addDereference(const Expr *Pointer, SourceLocation Where) {
  if (!isa<DeclRefExpr>(Pointer->IgnoreParenImpCasts()))
    return;
  for (const View &One : views(Pointer))
    if (One.Record)
      addUpTo(Demands, Offsets, One.Record, One.Bytes - 1, Where);
}

/// Whether only members of this number's type follow, which addMemberStep()
/// holds.
static bool beginsRow(const OffsetReader &Offsets, const FieldDecl *Field,
                      int64_t Bytes) {
  const auto Last = lastOfRow(Offsets, Field);
  return Offsets.size(Field) == Bytes && !ownerOf(Field)->isUnion() &&
         Last != numberOf(Field) &&
         Last == numberOf(fieldsOf(ownerOf(Field)).back());
}

/// The argument behind the pointer that says how much it points to: nothing,
/// not a constant, or this many.
PointerViews::Counting PointerViews::counting(const CallExpr *Call,
                                              unsigned Number) const {
  const FunctionDecl *Callee = Call->getDirectCallee();
  for (unsigned I = Number + 1; I < Callee->getNumParams(); ++I) {
    const ParmVarDecl *Param = Callee->getParamDecl(I);
    if (Param->getType()->isPointerType())
      continue;
    Counting Found;
    Found.Counted = isCount(Param);
    Found.Constant = Offsets.evaluate(Call->getArg(I), Found.Count);
    return Found;
  }
  return {};
}

llvm::SmallVector<const Expr *, 1>
PointerViews::addArguments(const CallExpr *Call) {
  llvm::SmallVector<const Expr *, 1> Held;
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee || Callee->getBuiltinID())
    return Held;
  unsigned Count = std::min(Call->getNumArgs(), Callee->getNumParams());
  for (unsigned I = 0; I != Count; ++I) {
    if (pointedNumber(Callee->getParamDecl(I)->getType()).isNull())
      continue;
    Seen Views = views(Call->getArg(I));
    if (Views.empty())
      continue;
    Counting Rest = counting(Call, I);
    bool Row =
        Stepped.isStepped(Callee, I) || (Rest.Counted && !Callee->hasBody());
    if (Row && llvm::all_of(Views, [&](const View &One) {
          return One.Record || beginsRow(Offsets, One.Member, One.Bytes);
        }))
      Held.push_back(Call->getArg(I));
    SourceLocation Where = Call->getArg(I)->getExprLoc();
    for (const View &One : Views) {
      // A part of constant length is addOverrun()'s.
      bool Part =
          Rest.Counted && Rest.Constant &&
          (One.Member || Rest.Count * One.Bytes < Offsets.size(One.Record));
      if (Part)
        continue;
      if (One.Member && Row)
        addMemberStep(Demands, Offsets, One.Member, false, 0, Where);
      else if (One.Record && Row)
        Demands.add(DemandKind::Overrun, One.Record, None, None, Where);
      else if (One.Record)
        addUpTo(Demands, Offsets, One.Record, One.Bytes - 1, Where);
    }
  }
  return Held;
}

} // namespace kst
