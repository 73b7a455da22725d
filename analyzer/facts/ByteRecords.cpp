// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/ByteRecords.h"

#include "analyzer/facts/LocalDefinitions.h"

#include "clang/AST/Decl.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace kst {

const Expr *bytesUnder(const Expr *Pointer) {
  while (true) {
    Pointer = Pointer->IgnoreParens();
    if (const auto *Binary = dyn_cast<BinaryOperator>(Pointer);
        Binary && Binary->isAdditiveOp() &&
        Binary->getLHS()->getType()->isPointerType()) {
      Pointer = Binary->getLHS();
    } else if (const auto *Cast = dyn_cast<CastExpr>(Pointer)) {
      if (!Cast->getSubExpr()->getType()->isPointerType() &&
          !Cast->getSubExpr()->getType()->isArrayType())
        break;
      Pointer = Cast->getSubExpr();
    } else if (const auto *Unary = dyn_cast<UnaryOperator>(Pointer);
               Unary && Unary->getOpcode() == UO_AddrOf) {
      const auto *Index =
          dyn_cast<ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens());
      if (!Index)
        break;
      Pointer = Index->getBase();
    } else {
      break;
    }
  }
  QualType Type = Pointer->getType();
  const ArrayType *Array = Type->getAsArrayTypeUnsafe();
  QualType Element = Array                   ? Array->getElementType()
                     : Type->isPointerType() ? Type->getPointeeType()
                                             : QualType();
  if (Element.isNull() || !Element->isCharType() ||
      (Array && !isa<DeclRefExpr>(Pointer)))
    return nullptr;
  return Pointer;
}

namespace {

enum class Use { None, Read, Write, Passed, Returned };

/// Looks for the first use of what a cast makes.
class FirstUse {
public:
  explicit FirstUse(const CastExpr *Cast) : Cast(Cast) {}

  Use find(const Stmt *Body) {
    visit(Body, false);
    return Found;
  }

private:
  bool isIt(const Expr *E) const {
    for (E = E->IgnoreParens(); E;
         E = cast<CastExpr>(E)->getSubExpr()->IgnoreParens()) {
      if (E == Cast)
        return true;
      if (!isa<CastExpr>(E))
        break;
    }
    const auto *Ref = E ? dyn_cast<DeclRefExpr>(E) : nullptr;
    return Ref && Var && Ref->getDecl() == Var;
  }

  void visit(const Stmt *S, bool Stored) {
    if (!S || Found != Use::None)
      return;
    if (const auto *Binary = dyn_cast<BinaryOperator>(S);
        Binary && Binary->getOpcode() == BO_Assign) {
      visit(Binary->getRHS(), false);
      if (isIt(Binary->getRHS()))
        Var = namedLocal(Binary->getLHS());
      return visit(Binary->getLHS(), true);
    }
    if (const auto *Decls = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Decls->decls())
        if (const auto *Made = dyn_cast<VarDecl>(D); Made && Made->getInit()) {
          visit(Made->getInit(), false);
          if (isIt(Made->getInit()))
            Var = Made;
        }
      return;
    }
    if (const auto *Unary = dyn_cast<UnaryOperator>(S)) {
      if (Unary->getOpcode() == UO_AddrOf)
        return; // what is done there is not known
      if (Unary->getOpcode() == UO_Deref && isIt(Unary->getSubExpr()))
        Found = Stored ? Use::Write : Use::Read;
    }
    if (const auto *Member = dyn_cast<MemberExpr>(S)) {
      if (isIt(Member->getBase()))
        Found = Stored ? Use::Write : Use::Read;
      return visit(Member->getBase(), Stored);
    }
    if (const auto *Index = dyn_cast<ArraySubscriptExpr>(S)) {
      visit(Index->getIdx(), false);
      return visit(Index->getBase(), Stored);
    }
    if (const auto *Call = dyn_cast<CallExpr>(S))
      visitCall(Call);
    if (const auto *Return = dyn_cast<ReturnStmt>(S);
        Return && Return->getRetValue() && isIt(Return->getRetValue()))
      Found = Use::Returned;
    for (const Stmt *Part : S->children())
      visit(Part, isa<CastExpr, ParenExpr>(S) && Stored);
  }

  void visitCall(const CallExpr *Call) {
    for (unsigned I = 0; I != Call->getNumArgs(); ++I) {
      if (!isIt(Call->getArg(I)))
        continue;
      unsigned Builtin =
          Call->getDirectCallee() ? Call->getDirectCallee()->getBuiltinID() : 0;
      const bool Fills = I == 0 && (Builtin == Builtin::BImemset ||
                                    Builtin == Builtin::BImemcpy ||
                                    Builtin == Builtin::BI__builtin_memset ||
                                    Builtin == Builtin::BI__builtin_memcpy);
      Found = Fills ? Use::Write : Use::Passed;
    }
  }

  const CastExpr *Cast;
  const VarDecl *Var = nullptr;
  Use Found = Use::None;
};

} // namespace

bool isRead(const Stmt *Body, const CastExpr *Cast, bool OrReturned) {
  if (Cast->getType()->getPointeeType().isConstQualified())
    return true;
  Use First = FirstUse(Cast).find(Body);
  return First == Use::Read || First == Use::Passed ||
         (OrReturned && First == Use::Returned);
}

} // namespace kst
