// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/SlabCaches.h"

#include "hybrid/vocabulary/Vocabulary.h"

using namespace clang;

namespace kst {

namespace {

/// One call that makes a cache. Versions of the kernel differ in which
/// parameters come behind the name and the size: they are told by their names.
class Creation {
public:
  Creation(FactsBuilder &Unit, const CallExpr *Call)
      : Unit(Unit), Context(Unit.context()), Call(Call),
        Callee(Call->getDirectCallee()) {}

  bool isOne() const {
    return Callee && Callee->getIdentifier() && Call->getNumArgs() > 3 &&
           Call->getNumArgs() <= Callee->getNumParams() &&
           isA(NameKind::MakesSlab, Callee->getName());
  }

  /// Whether it can be told what each argument behind the size says.
  bool isClear() const {
    for (unsigned I = 2; I != Call->getNumArgs(); ++I) {
      const ParmVarDecl *Param = Callee->getParamDecl(I);
      if (Param->getName().empty() ||
          (Param->getType()->isPointerType() &&
           Param->getType()->getPointeeType()->isRecordType() &&
           !isNull(Call->getArg(I)) && !arguments(Call->getArg(I))))
        return false;
    }
    return true;
  }

  /// `sizeof(struct T)`, or of an object.
  const RecordDecl *record() const {
    const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(
        Call->getArg(1)->IgnoreParenImpCasts());
    if (!Size || Size->getKind() != UETT_SizeOf)
      return nullptr;
    const RecordDecl *Record = Size->getTypeOfArgument()->getAsRecordDecl();
    return Record ? Record->getDefinition() : nullptr;
  }

  std::optional<uint64_t> number(llvm::StringRef Name) const {
    const Expr *E = given(Name);
    Expr::EvalResult Value;
    if (!E)
      return 0;
    if (E->isValueDependent() || !E->EvaluateAsInt(Value, Context))
      return std::nullopt;
    return Value.Val.getInt().getLimitedValue();
  }

  bool isGiven(llvm::StringRef Name) const {
    const Expr *E = given(Name);
    return E && !isNull(E);
  }

  /// Of a flag whose bit is a constant with that name, or, in kernels before
  /// 6.9, the given one (include/linux/slab.h).
  uint64_t flag(NameKind Kind, uint64_t Before) const {
    const IdentifierInfo &Name = Context.Idents.get(namesOf(Kind).front());
    for (const NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Name))
      if (const auto *Bit = dyn_cast<EnumConstantDecl>(D))
        return 1ull << Bit->getInitVal().getLimitedValue(63);
    return Before;
  }

private:
  /// What the parameter, or the member of a record of arguments, gets; null
  /// for nothing.
  const Expr *given(llvm::StringRef Name) const {
    for (unsigned I = 2; I != Call->getNumArgs(); ++I) {
      const ParmVarDecl *Param = Callee->getParamDecl(I);
      if (Param->getName() == Name)
        return Call->getArg(I);
      if (const Expr *E = member(Call->getArg(I), Name))
        return E;
    }
    return nullptr;
  }

  bool isNull(const Expr *E) const {
    return E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNull);
  }

  /// The list of `&(struct kmem_cache_args){ .align = ... }`, or of a variable
  /// that is initialised so; not of `= {}`, whose members are set later.
  static const InitListExpr *arguments(const Expr *Arg) {
    const auto *Address = dyn_cast<UnaryOperator>(Arg->IgnoreParenImpCasts());
    if (!Address || Address->getOpcode() != UO_AddrOf)
      return nullptr;
    const Expr *Of = Address->getSubExpr()->IgnoreParens();
    if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(Of))
      return dyn_cast<InitListExpr>(Literal->getInitializer());
    const auto *Ref = dyn_cast<DeclRefExpr>(Of);
    const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    const auto *List =
        Var ? dyn_cast_or_null<InitListExpr>(Var->getInit()) : nullptr;
    auto IsSet = [](const Expr *E) { return !isa<ImplicitValueInitExpr>(E); };
    return List && llvm::any_of(List->inits(), IsSet) ? List : nullptr;
  }

  static const Expr *member(const Expr *Arg, llvm::StringRef Name) {
    const InitListExpr *List = arguments(Arg);
    const RecordDecl *Record =
        List ? List->getType()->getAsRecordDecl() : nullptr;
    if (!Record || Record->isUnion())
      return nullptr;
    for (const FieldDecl *Field : Record->fields())
      if (Field->getName() == Name) {
        const Expr *E = List->getInit(Field->getFieldIndex());
        return isa<ImplicitValueInitExpr>(E) ? nullptr : E;
      }
    return nullptr;
  }

  FactsBuilder &Unit;
  ASTContext &Context;
  const CallExpr *Call;
  const FunctionDecl *Callee;
};

} // namespace

void addSlabCache(FactsBuilder &Unit, const CallExpr *Call) {
  Creation New(Unit, Call);
  const RecordDecl *Record =
      New.isOne() && New.isClear() ? New.record() : nullptr;
  if (!Record)
    return;
  std::optional<uint64_t> Align = New.number("align"),
                          Flags = New.number("flags");
  if (!Align || !Flags || (*Align && !llvm::isPowerOf2_32(*Align)))
    return;
  SlabFact Fact;
  Fact.Record = Unit.record(Record);
  Fact.AlignBytes = static_cast<uint32_t>(*Align);
  if (*Flags & New.flag(NameKind::SlabLineFlag, 0x2000))
    Fact.Flags |= SlabOnLines;
  bool Counted = *Flags & New.flag(NameKind::SlabReusedFlag, 0x80000);
  if (New.isGiven("ctor") || (Counted && !New.isGiven("use_freeptr_offset")))
    Fact.Flags |= SlabLinkBehind;
  Fact.PointerBytes =
      static_cast<uint32_t>(Unit.context()
                                .getTypeSizeInChars(Unit.context().VoidPtrTy)
                                .getQuantity());
  std::tie(Fact.File, Fact.Line) = Unit.place(Call->getExprLoc());
  if (!llvm::is_contained(Unit.Facts.Slabs, Fact))
    Unit.Facts.Slabs.push_back(Fact);
}

} // namespace kst
