// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/MemberRanges.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/ConditionHints.h"

#include "hybrid/vocabulary/Vocabulary.h"

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
    llvm::StringRef Name = Typedef->getDecl()->getName();
    if (isA(NameKind::SizeType, Name))
      return !isA(NameKind::SignedSizeType, Name);
    Type = Typedef->desugar();
  }
  return false;
}

/// Whether argument Number of the call, made of Value, counts bytes: its
/// parameter is a size_t (and not named an offset), or the call also gets the
/// address of a record that Value is about.
static bool isByteCount(const CallExpr *Call, unsigned Number,
                        const OffsetSum &Value) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (Callee && isMemoryFunction(Callee))
    return true;
  if (Callee && Number < Callee->getNumParams()) {
    const ParmVarDecl *Param = Callee->getParamDecl(Number);
    if (isA(NameKind::OffsetParameter, Param->getName()))
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

void addCount(DemandTable &Demands, const CallExpr *Call, unsigned Number,
              const OffsetSum &Value) {
  if (Value.Terms.empty() || !isByteCount(Call, Number, Value))
    return;
  for (const OffsetTerm &Term : Value.Terms) {
    const RecordDecl *Record = ownerOf(Term.Field);
    if (Term.Factor <= 0 ||
        llvm::any_of(Value.Terms, [&](const OffsetTerm &Other) {
          return Other.Field != Term.Field && ownerOf(Other.Field) == Record;
        }))
      continue;
    bool Object = llvm::any_of(Call->arguments(), [&](const Expr *Arg) {
      const RecordDecl *Pointed =
          Arg->getType()->isPointerType() ? pointedRecord(Arg) : nullptr;
      return Pointed && Pointed->getDefinition() == Record;
    });
    Demands.add(Object && !Value.Varies ? DemandKind::Block : DemandKind::Tail,
                Term.Field, Call->getExprLoc());
  }
}

bool isPassThrough(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getBuiltinID() == Builtin::BI__builtin_expect;
}

bool isCount(const ParmVarDecl *Param) {
  llvm::StringRef Name = Param->getName();
  return Param->getType()->isIntegerType() &&
         (isSizeType(Param->getType()) || isA(NameKind::LengthParameter, Name));
}

/// What a length counts, and the bytes of so many of it.
struct Unit {
  int64_t ElementBytes = 0; ///< 0: it is no length
  bool Bits = false;        ///< of a bitmap of such elements

  int64_t bytes(int64_t Count) const {
    return ElementBytes *
           (Bits ? llvm::divideCeil(Count, 8 * ElementBytes) : Count);
  }
};

/// Whether code uses a pointer for more than what it points at: indexes it,
/// computes with it, or gives it to somebody else.
static bool stepsThrough(const Stmt *Code, const ParmVarDecl *Pointer) {
  // Another type than its own may be larger.
  auto IsIt = [&](const Stmt *S) {
    const auto *E = dyn_cast_or_null<Expr>(S);
    const auto *Ref =
        E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
    return Ref && Ref->getDecl() == Pointer;
  };
  if (!Code)
    return false;
  const Stmt *Pointed = nullptr;
  if (const auto *Unary = dyn_cast<UnaryOperator>(Code);
      Unary && Unary->getOpcode() == UO_Deref)
    Pointed = Unary->getSubExpr();
  else if (const auto *Atomic = dyn_cast<AtomicExpr>(Code))
    Pointed = Atomic->getPtr();
  else if (IsIt(Code))
    return true;
  return llvm::any_of(Code->children(), [&](const Stmt *Child) {
    return !(Child == Pointed && IsIt(Child)) && stepsThrough(Child, Pointer);
  });
}

/// The pointers just before argument Number of a call, if that says how much
/// they point to. A number by such a name says nothing if the body is here and
/// never steps on from where the pointer leads.
static Unit countedPointers(const OffsetReader &Offsets, const CallExpr *Call,
                            unsigned Number,
                            llvm::SmallVectorImpl<const Expr *> &Pointers) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (Callee && isMemoryFunction(Callee)) {
    if (Number != 2)
      return {};
    Pointers.append({Call->getArg(0), Call->getArg(1)});
    return {1};
  }
  if (!Callee || Number == 0 || Number >= Callee->getNumParams() ||
      !isCount(Callee->getParamDecl(Number)))
    return {};
  Unit Each;
  for (unsigned I = Number; I-- != 0;) {
    QualType Type = Callee->getParamDecl(I)->getType();
    QualType Element = Type->isPointerType() ? Type->getPointeeType() : Type;
    int64_t Bytes = Element->isVoidType()      ? 1
                    : Element->isIntegerType() ? Offsets.size(Element)
                                               : 0;
    if (!Type->isPointerType() || !Bytes ||
        (Each.ElementBytes && Bytes != Each.ElementBytes))
      break;
    if (const FunctionDecl *Body = Callee->getDefinition();
        Body && !stepsThrough(Body->getBody(), Body->getParamDecl(I)))
      continue;
    Each = {Bytes, Element->isSpecificBuiltinType(BuiltinType::ULong) &&
                       isA(NameKind::BitFunction, calleeName(Call))};
    Pointers.push_back(Call->getArg(I));
  }
  return Each;
}

bool isCounted(const OffsetReader &Offsets, const CallExpr *Call,
               unsigned Number, llvm::SmallVectorImpl<const Expr *> &Pointers) {
  return countedPointers(Offsets, Call, Number, Pointers).ElementBytes;
}

void addReach(DemandTable &Demands, const OffsetReader &Offsets,
              const OffsetSum &Place, int64_t Count, SourceLocation Where) {
  if (!Place.Linear || (Place.Terms.size() > 1 && Place.Constant))
    return;
  // Inner before outer; Begin counts from the start of the field at hand.
  int64_t Begin = Place.Constant;
  for (const OffsetTerm &Term : Place.Terms) {
    int64_t Size = Offsets.size(Term.Field);
    if (Begin + Count <= Size ||
        (Offsets.isLast(Term.Field) && !Term.Field->getType()->isScalarType()))
      break;
    Begin += Offsets.offset(Term.Field);
    const RecordDecl *Record = ownerOf(Term.Field);
    Demands.add(DemandKind::Overrun, Record, numberOf(Term.Field),
                Offsets.fieldAt(Record, Begin + Count - 1), Where);
  }
}

void addOverrun(DemandTable &Demands, const OffsetReader &Offsets,
                const CallExpr *Call, unsigned Number) {
  llvm::SmallVector<const Expr *, 2> Pointers;
  const Unit Each = countedPointers(Offsets, Call, Number, Pointers);
  int64_t Count;
  if (!Each.ElementBytes || !Offsets.evaluate(Call->getArg(Number), Count) ||
      Count <= 0)
    return;
  Count = Each.bytes(Count);
  SourceLocation Where = Call->getExprLoc();
  for (const Expr *Arg : Pointers) {
    if (!Arg->getType()->isPointerType())
      continue;
    const Expr *Address = Arg->IgnoreParenCasts();
    if (isa<BinaryOperator>(Address))
      continue;
    if (const RecordDecl *Record = pointedRecord(Arg)) {
      Record = Record->getDefinition();
      if (Record && !Record->isUnion() && Count < Offsets.size(Record))
        Demands.add(DemandKind::Overrun, Record, None,
                    Offsets.fieldAt(Record, Count - 1), Where);
    }
    const Expr *Base;
    OffsetSum Place = Offsets.ofMember(Arg, Base);
    if (Base)
      addReach(Demands, Offsets, Place, Count, Where);
  }
}

/// A row of a table: the offset of one member, and the size of more than it.
void addRow(DemandTable &Demands, const OffsetReader &Offsets,
            const InitListExpr *List) {
  const FieldDecl *From = nullptr;
  const Expr *Size = nullptr;
  forEachInit(List, [&](const FieldDecl *Column, const Expr *Init) {
    if (const auto *Offset =
            dyn_cast<OffsetOfExpr>(Init->IgnoreParenImpCasts())) {
      OffsetSum Sum = Offsets.ofOffsetOf(Offset);
      if (Sum.Linear && Sum.Terms.size() == 1 && !Sum.Constant)
        From = Sum.Terms[0].Field;
    } else if (isA(NameKind::LengthMember, Column->getName())) {
      Size = Init;
    }
  });
  int64_t Bytes;
  if (!From || !Size || !Offsets.evaluate(Size, Bytes))
    return;
  if (Bytes > Offsets.size(From))
    Demands.add(
        DemandKind::Overrun, ownerOf(From), numberOf(From),
        Offsets.fieldAt(ownerOf(From), Offsets.offset(From) + Bytes - 1),
        List->getBeginLoc());
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

void forEachInit(
    const InitListExpr *List,
    llvm::function_ref<void(const FieldDecl *, const Expr *)> Visit) {
  const RecordDecl *Record =
      List->getType()->getAsRecordDecl()->getDefinition();
  unsigned I = 0;
  auto Set = [&](const FieldDecl *Field) {
    const Expr *Init = List->getInit(I++);
    if (Init && !isa<ImplicitValueInitExpr>(Init))
      Visit(Field, Init);
  };
  if (Record->isUnion()) {
    const FieldDecl *Field = List->getInitializedFieldInUnion();
    if (Field && List->getNumInits())
      Set(Field);
    return;
  }
  for (const FieldDecl *Field : Record->fields())
    if (!Field->isUnnamedBitField() && I < List->getNumInits())
      Set(Field);
}

const FieldDecl *lastInitialised(const InitListExpr *List) {
  const FieldDecl *Last = nullptr;
  forEachInit(List,
              [&](const FieldDecl *Field, const Expr *) { Last = Field; });
  return Last;
}

} // namespace kst
