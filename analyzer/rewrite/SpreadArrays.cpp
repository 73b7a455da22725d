// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/SpreadArrays.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace kst {

namespace {

/// Every use has to be one that a factor does not change, or one that it is
/// written to.
class ArraySpreader : public RecursiveASTVisitor<ArraySpreader> {
  using Walk = RecursiveASTVisitor<ArraySpreader>;

public:
  ArraySpreader(EditText &To, const std::set<std::string> &Skipped,
                const std::set<std::string> &InMacros)
      : To(To), Context(To.context()), Skipped(Skipped), InMacros(InMacros),
        Elements(To.Edits.size()) {}

  bool VisitVarDecl(VarDecl *Var) {
    if (const auto *Other = Var->getAttr<AliasAttr>())
      for (size_t E = 0; E != To.Edits.size(); ++E)
        if (Other->getAliasee() == To.Edits[E].Name)
          To.refuse(E, Var->getLocation(), "it has another name");
    const size_t E = spreadOf(Var);
    if (!isSpread(E))
      return true;
    const VarDecl *&Same = Variables[E];
    if (Same && Same != Var->getCanonicalDecl())
      return To.refuse(E, Var->getLocation(), "another variable has its name"),
             true;
    Same = Var->getCanonicalDecl();
    declared(E, Var, To.isDefinedHere(Var, To.Edits[E]));
    if (const Expr *Init = Var->getInit(); Init && isPointer(E))
      assigned(E, Init);
    else if (Init && !isZero(Init))
      To.refuse(E, Var->getLocation(), "it has values from the start");
    return true;
  }

  bool VisitFieldDecl(FieldDecl *Field) {
    if (const size_t E = spreadOf(Field); isSpread(E)) {
      declared(E, Field, /*Defines=*/true);
      if (Context.getLangOpts().CPlusPlus)
        To.refuse(E, Field->getLocation(),
                  "C++ has uses of members that are not seen here");
    }
    return true;
  }

  /// Values for the elements of a member, and lists without its braces.
  bool VisitInitListExpr(InitListExpr *List) {
    if (const InitListExpr *Semantic =
            List->isSemanticForm() ? List : List->getSemanticForm())
      check(*Semantic, false);
    return true;
  }

  bool VisitOffsetOfExpr(OffsetOfExpr *Of) {
    for (unsigned I = 0; I != Of->getNumComponents(); ++I)
      if (Of->getComponent(I).getKind() == OffsetOfNode::Field)
        if (const size_t E = spreadOf(Of->getComponent(I).getField());
            isSpread(E))
          To.refuse(E, Of->getBeginLoc(), "its offset is taken");
    return true;
  }

  // What reads or writes an element; its address would know nothing of steps.
  bool VisitImplicitCastExpr(ImplicitCastExpr *Cast) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      allow(Cast->getSubExpr());
    return true;
  }

  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *Of) {
    Expr *Base = Of->getLHS()->IgnoreParenImpCasts();
    const size_t E = spreadOf(meant(Base));
    if (!isSpread(E))
      return Walk::TraverseArraySubscriptExpr(Of);
    if (!Plain.contains(Of))
      To.refuse(E, Of->getExprLoc(), "the address of an element is used");
    const SourceManager &Manager = Context.getSourceManager();
    if (isOfMacro(Of->getLHS()) || isOfMacro(Of->getRHS())) {
      if (!isWrittenTogether(Of))
        To.refuse(E, Of->getExprLoc(), "its index is an argument of a macro");
    }
    if (!Of->getRHS()
             ->IgnoreImplicit()
             ->getType()
             ->isIntegralOrEnumerationType())
      To.refuse(E, Of->getExprLoc(), "its index is no number");
    times(E, Of->getRHS());
    return outside(Base) && TraverseStmt(Of->getRHS());
  }

  bool TraverseCompoundAssignOperator(CompoundAssignOperator *Of) {
    allow(Of->getLHS());
    return Walk::TraverseCompoundAssignOperator(Of);
  }
  bool TraverseBinaryOperator(BinaryOperator *Of) {
    if (Of->isAssignmentOp())
      allow(Of->getLHS());
    for (Expr *Side : {Of->getLHS(), Of->getRHS()}) {
      Expr *Plain = Side->IgnoreParenImpCasts();
      const size_t E = spreadOf(meant(Plain));
      if (!isSpread(E) || !isPointer(E))
        continue;
      Expr *Other = Side == Of->getLHS() ? Of->getRHS() : Of->getLHS();
      if (Of->isEqualityOp() && isNull(Other))
        return outside(Plain);
      if (Of->getOpcode() == BO_Assign && Side == Of->getLHS()) {
        assigned(E, Other);
        return outside(Plain) && TraverseStmt(Other);
      }
    }
    return Walk::TraverseBinaryOperator(Of);
  }

  bool TraverseUnaryOperator(UnaryOperator *Of) {
    if (Of->isIncrementDecrementOp())
      allow(Of->getSubExpr());
    Expr *Plain = Of->getSubExpr()->IgnoreParenImpCasts();
    if (const size_t E = spreadOf(meant(Plain));
        isSpread(E) && Of->getOpcode() == UO_LNot)
      return outside(Plain);
    return Walk::TraverseUnaryOperator(Of);
  }

  /// Where it begins stays as it is: who prints that as an address, counts
  /// with it, or frees it may have it.
  bool TraverseCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee && Callee->getIdentifier() && Call->getNumArgs() &&
        Callee->getBuiltinID() && Callee->getName().starts_with("__sync_"))
      allowAt(Call->getArg(0));
    const bool Frees =
        Callee && Callee->getIdentifier() && Callee->getName() == "free";
    const auto *Format = Callee ? Callee->getAttr<FormatAttr>() : nullptr;
    if (!Frees && !Format)
      return Walk::TraverseCallExpr(Call);
    for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
      Expr *Arg = Call->getArg(I);
      const auto *Cast = dyn_cast<ExplicitCastExpr>(Arg->IgnoreParenImpCasts());
      const bool Address = Format && Format->getFirstArg() > 0 &&
                           I + 1 >= unsigned(Format->getFirstArg()) && Cast &&
                           Cast->getType()->isVoidPointerType();
      if (!((Frees || Address) && isBegin(Arg)) && !TraverseStmt(Arg))
        return false;
    }
    return true;
  }
  bool TraverseCStyleCastExpr(CStyleCastExpr *Cast) {
    const auto *Address =
        dyn_cast<UnaryOperator>(Cast->getSubExpr()->IgnoreParens());
    return (Cast->getCastKind() == CK_PointerToIntegral && Address &&
            Address->getOpcode() == UO_AddrOf && isBegin(Address)) ||
           Walk::TraverseCStyleCastExpr(Cast);
  }

  bool TraverseAtomicExpr(AtomicExpr *Of) {
    allowAt(Of->getPtr());
    return Walk::TraverseAtomicExpr(Of);
  }

  bool VisitDeclRefExpr(DeclRefExpr *Use) {
    // The same text of a header, which another unit reads.
    const auto *Var = dyn_cast<VarDecl>(Use->getDecl());
    const SourceManager &Manager = Context.getSourceManager();
    if (Var && !isSpread(spreadOf(Var)) &&
        !Manager.isInMainFile(Manager.getFileLoc(Use->getLocation())))
      for (size_t E = 0; E != To.Edits.size(); ++E)
        if (Var->getName() == To.Edits[E].Name && spreads(E))
          To.refuse(E, Use->getLocation(),
                    "another variable of its name is used there");
    return otherwise(Use);
  }
  bool VisitMemberExpr(MemberExpr *Use) { return otherwise(Use); }

private:
  bool isSpread(size_t E) const { return E != To.Edits.size(); }
  bool isPointer(size_t E) const {
    return To.Edits[E].What == LineEdit::SpreadPointer;
  }

  static const ValueDecl *meant(const Expr *Of) {
    if (const auto *Variable = dyn_cast<DeclRefExpr>(Of))
      return Variable->getDecl();
    const auto *Member = dyn_cast<MemberExpr>(Of);
    return Member ? Member->getMemberDecl() : nullptr;
  }

  /// The number of its edit, or how many edits there are.
  size_t spreadOf(const ValueDecl *Decl) {
    const auto *Var = dyn_cast_or_null<VarDecl>(Decl);
    const auto *Field = dyn_cast_or_null<FieldDecl>(Decl);
    size_t E = 0;
    for (; isSpread(E); ++E) {
      const LineEdit &Edit = To.Edits[E];
      if (Var && To.isMeant(Var, Edit) &&
          (Edit.What == LineEdit::SpreadIndex || isPointer(E)))
        break;
      if (Field && Edit.What == LineEdit::SpreadMember &&
          Field->getName() == Edit.Part && To.isMeant(Field->getParent(), Edit))
        break;
    }
    return E;
  }

  void allow(Expr *Of) {
    if (auto *Element = dyn_cast<ArraySubscriptExpr>(Of->IgnoreParens()))
      Plain.insert(Element);
  }

  /// What works on the element of which it gets the address, and on no more.
  void allowAt(const Expr *Pointer) {
    const auto *Address = dyn_cast<UnaryOperator>(Pointer->IgnoreParenCasts());
    if (!Address || Address->getOpcode() != UO_AddrOf)
      return;
    const QualType As = Pointer->IgnoreImpCasts()->getType()->getPointeeType();
    const QualType Is = Address->getSubExpr()->getType();
    if (!As.isNull() && !As->isIncompleteType() &&
        Context.getTypeSize(As) == Context.getTypeSize(Is))
      allow(Address->getSubExpr());
  }

  bool isOfMacro(const Expr *Of) const {
    return Of->getBeginLoc().isMacroID() || Of->getEndLoc().isMacroID();
  }

  /// Whether the index stands behind the array in the file, as it does where
  /// both are in one argument of a macro. What macros do with the argument
  /// otherwise, spreadArrays() is told.
  bool isWrittenTogether(const ArraySubscriptExpr *Of) const {
    const SourceManager &Manager = Context.getSourceManager();
    if (Of->getLHS()->getBeginLoc().isMacroID() &&
        !Manager.isMacroArgExpansion(Of->getLHS()->getBeginLoc()))
      return false;
    const CharSourceRange Base = To.written(Of->getLHS());
    const CharSourceRange Index = To.written(Of->getRHS());
    if (Base.isInvalid() || Index.isInvalid())
      return false;
    const auto Next = Lexer::findNextToken(Base.getEnd().getLocWithOffset(-1),
                                           Manager, Context.getLangOpts());
    return Next && Next->is(tok::l_square) &&
           Next->getEndLoc() <= Index.getBegin() &&
           Lexer::getSourceText(CharSourceRange::getCharRange(Next->getEndLoc(),
                                                              Index.getBegin()),
                                Manager, Context.getLangOpts())
               .trim()
               .empty();
  }

  /// `Inside`: of another list, which may have its braces.
  void check(const InitListExpr &List, bool Inside) {
    const auto *Record = List.getType()->getAsRecordDecl();
    const auto *Class = dyn_cast_or_null<CXXRecordDecl>(Record);
    if (Record && !Record->isUnion() && !(Class && Class->getNumBases()))
      for (const FieldDecl *Field : Record->fields()) {
        const size_t E = spreadOf(Field);
        if (!isSpread(E) || Field->getFieldIndex() >= List.getNumInits())
          continue;
        const Expr *Init = List.getInit(Field->getFieldIndex());
        const auto *Values = dyn_cast<InitListExpr>(Init);
        if (!isZero(Init) || (Inside && !List.getSyntacticForm()) ||
            (Values && !Values->getSyntacticForm()))
          To.refuse(E, List.getBeginLoc(), "its elements get values");
      }
    for (const Expr *Init : List.inits())
      if (const auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
        check(*Inner, true);
  }

  /// What is in front of a member.
  bool outside(Expr *Of) {
    auto *Member = dyn_cast<MemberExpr>(Of);
    return !Member || TraverseStmt(Member->getBase());
  }

  bool isBegin(const Expr *Of) {
    Of = Of->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(Of);
        Address && Address->getOpcode() == UO_AddrOf)
      Of = Address->getSubExpr()->IgnoreParens();
    return isSpread(spreadOf(meant(Of)));
  }

  bool isNull(const Expr *Of) const {
    return Of->isNullPointerConstant(Context,
                                     Expr::NPC_ValueDependentIsNotNull);
  }

  bool otherwise(const Expr *Use) {
    if (const size_t E = spreadOf(meant(Use)); isSpread(E))
      To.refuse(E, Use->getExprLoc(), "it is used otherwise than by index");
    return true;
  }

  bool spreads(size_t E) const {
    return To.Edits[E].What == LineEdit::SpreadIndex ||
           To.Edits[E].What == LineEdit::SpreadPointer;
  }

  void declared(size_t E, const DeclaratorDecl *Array, bool Defines) {
    const LineEdit &Edit = To.Edits[E];
    const QualType Type = Array->getType();
    const auto *Of = dyn_cast<ConstantArrayType>(Type);
    const QualType Element = isPointer(E) && Type->isPointerType()
                                 ? Type->getPointeeType()
                             : Of ? Of->getElementType()
                                  : QualType();
    if (Element.isNull() ||
        !Element.getAtomicUnqualifiedType()->isScalarType() ||
        Edit.Bytes % Context.getTypeSizeInChars(Element).getQuantity())
      return To.refuse(E, Array->getLocation(), "it is no array of numbers");
    const std::string Name = Array->getName().str();
    if (Skipped.count(Name))
      To.refuse(E, Array->getLocation(),
                "code that this configuration leaves out may use it");
    if (InMacros.count(Name))
      To.refuse(E, Array->getLocation(),
                "a macro does more with it than to use it once");
    constexpr uint64_t MostBytes = 1 << 20;
    const uint64_t Size = Context.getTypeSizeInChars(Element).getQuantity();
    if (Of && Of->getSize().ugt(MostBytes / Edit.Factor / Size))
      To.refuse(E, Array->getLocation(), "it would be too large");
    Elements[E] = Element;
    if (isPointer(E)) {
      if (Defines)
        To.put(E, Array->getLocation(), "");
      return;
    }
    const auto Loc =
        Array->getTypeSourceInfo()->getTypeLoc().getAs<ConstantArrayTypeLoc>();
    if (!Loc)
      return To.refuse(E, Array->getLocation(), "its type has another name");
    times(E, Loc.getSizeExpr());
    if (Defines)
      To.align(E, Array, Edit.Bytes);
  }

  /// A pointer gets what malloc() or calloc() give, so much larger.
  void assigned(size_t E, const Expr *Value) {
    if (isNull(Value))
      return;
    const auto *Call = dyn_cast<CallExpr>(Value->IgnoreParenCasts());
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee || !Callee->getIdentifier() ||
        (Callee->getName() != "malloc" && Callee->getName() != "calloc"))
      return To.refuse(E, Value->getExprLoc(),
                       "it gets memory otherwise than from malloc()");
    if (Call->getBeginLoc().isMacroID() || Call->getEndLoc().isMacroID())
      To.refuse(E, Call->getExprLoc(), "a macro allocates it");
    times(E, Call->getArg(0), /*Widens=*/true);
  }

  /// A factor behind a number that says which element, or how many. `Widens`:
  /// the product may be too large for the number's type.
  void times(size_t E, const Expr *Number, bool Widens = false) {
    if (Elements[E].isNull())
      return; // refused
    const std::string Factor = std::to_string(To.Edits[E].Factor);
    const CharSourceRange Text = To.written(Number);
    const bool Simple =
        isa<DeclRefExpr, IntegerLiteral, ParenExpr>(Number->IgnoreImpCasts());
    Widens = Widens && !Number->isEvaluatable(Context) &&
             Context.getTypeSize(Number->IgnoreImpCasts()->getType()) <
                 Context.getTypeSize(Context.getSizeType());
    if (!Simple || Widens)
      To.put(E, Text.getBegin(),
             std::string(Widens ? "(size_t)" : "") + (Simple ? "" : "("));
    To.put(E, Text.getEnd(), (Simple ? " * " : ") * ") + Factor);
  }

  bool isZero(const Expr *Init) const {
    if (isa<ImplicitValueInitExpr>(Init))
      return true;
    const auto *List = dyn_cast<InitListExpr>(Init);
    if (!List || List->getNumInits() > 1)
      return false;
    Expr::EvalResult Value;
    return !List->getNumInits() ||
           (List->getInit(0)->IgnoreParenImpCasts()->EvaluateAsInt(Value,
                                                                   Context) &&
            Value.Val.getInt() == 0);
  }

  EditText &To;
  ASTContext &Context;
  const std::set<std::string> &Skipped, &InMacros;
  std::vector<QualType> Elements; ///< by edit
  std::map<size_t, const VarDecl *> Variables;
  llvm::SmallPtrSet<const ArraySubscriptExpr *, 32>
      Plain; ///< that are read or written
};

} // namespace

void spreadArrays(EditText &To, const std::set<std::string> &Skipped,
                  const std::set<std::string> &InMacros) {
  ArraySpreader(To, Skipped, InMacros)
      .TraverseDecl(To.context().getTranslationUnitDecl());
}

} // namespace kst
