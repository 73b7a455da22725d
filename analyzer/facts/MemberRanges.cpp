// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/MemberRanges.h"

#include "analyzer/facts/AnonymousStructs.h"

#include "clang/AST/RecordLayout.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

static bool isMemoryFunction(const FunctionDecl *Function) {
  switch (Function->getBuiltinID()) {
  case Builtin::BImemset:
  case Builtin::BI__builtin_memset:
  case Builtin::BImemcpy:
  case Builtin::BI__builtin_memcpy:
  case Builtin::BImemmove:
  case Builtin::BI__builtin_memmove:
  case Builtin::BImemcmp:
  case Builtin::BI__builtin_memcmp:
    return true;
  default:
    return false;
  }
}

/// The record at whose start a pointer argument points, constants added to it
/// aside; null for others.
static const RecordDecl *pointedRecord(const Expr *E) {
  while (true) {
    E = E->IgnoreParenCasts();
    const auto *Binary = dyn_cast<BinaryOperator>(E);
    if (!Binary || Binary->getOpcode() != BO_Add ||
        !Binary->getLHS()->getType()->isPointerType())
      break;
    E = Binary->getLHS();
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E);
      Unary && Unary->getOpcode() == UO_AddrOf)
    return Unary->getSubExpr()->getType()->getAsRecordDecl();
  const auto *Pointer = E->getType()->getAs<PointerType>();
  return Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr;
}

static bool isSizeType(QualType Type) {
  while (const auto *Typedef = Type->getAs<TypedefType>()) {
    if (Typedef->getDecl()->getName().ends_with("size_t"))
      return !Typedef->getDecl()->getName().ends_with("ssize_t");
    Type = Typedef->desugar();
  }
  return false;
}

bool isByteCount(const CallExpr *Call, unsigned Number,
                 const OffsetSum &Value) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (Callee && isMemoryFunction(Callee))
    return true;
  if (Callee && Number < Callee->getNumParams()) {
    const ParmVarDecl *Param = Callee->getParamDecl(Number);
    if (Param->getName().contains("off"))
      return false;
    if (isSizeType(Param->getType()))
      return true;
  }
  return llvm::any_of(Call->arguments(), [&](const Expr *Arg) {
    if (!Arg->getType()->isPointerType())
      return false;
    const RecordDecl *Record = pointedRecord(Arg);
    return Record && llvm::any_of(Value.Terms, [&](const OffsetTerm &Term) {
             return ownerOf(Term.Field) == Record->getDefinition();
           });
  });
}

bool isPassThrough(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getBuiltinID() == Builtin::BI__builtin_expect;
}

/// The field of a record that covers a byte: the last that starts before or
/// at it. None when the byte is past the end.
static uint32_t fieldAt(const OffsetReader &Offsets, const RecordDecl *Record,
                        int64_t Byte) {
  uint32_t Found = None;
  if (Byte < Offsets.size(Record))
    for (const FieldDecl *Field : fieldsOf(Record))
      if (Offsets.offset(Field) <= Byte)
        Found = numberOf(Field);
  return Found;
}

void addOverrun(DemandTable &Demands, const OffsetReader &Offsets,
                const CallExpr *Call, unsigned Number) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (Number != 2 || !Callee || !isMemoryFunction(Callee))
    return;
  Expr::EvalResult Result;
  if (!Call->getArg(2)->EvaluateAsInt(Result, Demands.unit().context()))
    return;
  int64_t Count = Result.Val.getInt().extOrTrunc(64).getSExtValue();
  if (Count <= 0)
    return;
  SourceLocation Where = Call->getExprLoc();
  for (const Expr *Arg : {Call->getArg(0), Call->getArg(1)}) {
    if (!Arg->getType()->isPointerType())
      continue;
    const Expr *Address = Arg->IgnoreParenCasts();
    if (isa<BinaryOperator>(Address))
      continue;
    if (const RecordDecl *Record = pointedRecord(Arg)) {
      Record = Record->getDefinition();
      if (Record && !Record->isUnion() && Count < Offsets.size(Record))
        Demands.add(DemandKind::Overrun, Record, None,
                    fieldAt(Offsets, Record, Count - 1), Where);
    }
    const Expr *Base;
    OffsetSum Place = Offsets.ofMember(Arg, Base);
    if (!Base || !Place.Linear || (Place.Terms.size() > 1 && Place.Constant))
      continue;
    // Inner before outer; Begin counts from the start of the field at hand.
    int64_t Begin = Place.Constant;
    for (const OffsetTerm &Term : Place.Terms) {
      int64_t Size = Offsets.size(Term.Field);
      if (Begin + Count <= Size || (Offsets.isLast(Term.Field) &&
                                    !Term.Field->getType()->isScalarType()))
        break;
      Begin += Offsets.offset(Term.Field);
      const RecordDecl *Record = ownerOf(Term.Field);
      Demands.add(DemandKind::Overrun, Record, numberOf(Term.Field),
                  fieldAt(Offsets, Record, Begin + Count - 1), Where);
    }
  }
}

bool isZero(const Expr *E, ASTContext &Context) {
  E = E->IgnoreParenImpCasts();
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return List->getNumInits() == 0 ||
           (List->getNumInits() == 1 && isZero(List->getInit(0), Context));
  Expr::EvalResult Value;
  return isa<ImplicitValueInitExpr>(E) ||
         E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) ||
         (E->getType()->isIntegralOrEnumerationType() &&
          E->EvaluateAsInt(Value, Context) && Value.Val.getInt() == 0);
}

bool hasUnnamed(const InitListExpr *Written, bool Lists) {
  return llvm::any_of(Written->inits(), [&](const Expr *Init) {
    return Init && !isa<DesignatedInitExpr, ImplicitValueInitExpr>(Init) &&
           (Lists || !isa<InitListExpr>(Init));
  });
}

const FieldDecl *lastInitialised(const InitListExpr *List) {
  const RecordDecl *Record =
      List->getType()->getAsRecordDecl()->getDefinition();
  const FieldDecl *Last = nullptr;
  unsigned I = 0;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (I >= List->getNumInits())
      break;
    const Expr *Init = List->getInit(I++);
    if (Init && !isa<ImplicitValueInitExpr>(Init))
      Last = Field;
  }
  return Last;
}

} // namespace kst
