// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/CxxDemands.h"

#include "analyzer/facts/AnonymousStructs.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace kst {
namespace {

bool runsCode(const FieldDecl *Member) {
  const CXXRecordDecl *Class =
      Member->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() &&
         (Class->hasNonTrivialDestructor() ||
          Class->hasNonTrivialDefaultConstructor());
}

const RecordDecl *definition(QualType Type) {
  const RecordDecl *Record = Type.getNonReferenceType()->getAsRecordDecl();
  return Record ? Record->getDefinition() : nullptr;
}

/// All fields up to the last are used by their position.
void addPositions(DemandTable &Demands, const RecordDecl *Record,
                  unsigned Count, SourceLocation Where) {
  const FieldDecl *Last = nullptr;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (!Count--)
      break;
    Last = Field;
  }
  if (Last)
    Demands.add(DemandKind::Positional, Last, Where);
}

} // namespace

void addMakingOrder(DemandTable &Demands, const CXXRecordDecl *Class) {
  const FieldDecl *Before = nullptr;
  for (const FieldDecl *Member : Class->fields()) {
    if (const Expr *Init = Member->getInClassInitializer())
      addUses(Demands, Member, Init);
    if (!runsCode(Member))
      continue;
    if (Before)
      Demands.add(DemandKind::MadeAfter, Member, Member->getLocation(),
                  numberOf(Before));
    Before = Member;
  }
}

void addUses(DemandTable &Demands, const FieldDecl *Member, const Expr *Init) {
  llvm::SmallVector<const Stmt *, 16> Parts{Init};
  while (!Parts.empty()) {
    const Stmt *Part = Parts.pop_back_val();
    if (!Part)
      continue;
    const auto *Use = dyn_cast<MemberExpr>(Part);
    const auto *Used =
        Use ? dyn_cast<FieldDecl>(Use->getMemberDecl()) : nullptr;
    if (Used && isa<CXXThisExpr>(Use->getBase()->IgnoreParenImpCasts()) &&
        ownerOf(Used) == ownerOf(Member) && numberOf(Used) < numberOf(Member))
      Demands.add(DemandKind::MadeAfter, Member, Use->getExprLoc(),
                  numberOf(Used));
    Parts.append(Part->child_begin(), Part->child_end());
  }
}

void addDefaultOrder(DemandTable &Demands, const FunctionDecl *Operator) {
  const RecordDecl *Class = nullptr;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Operator))
    Class = Method->getParent();
  else if (Operator->getNumParams())
    Class = definition(Operator->getParamDecl(0)->getType());
  if (Class)
    addPositions(Demands, Class, ~0u, Operator->getLocation());
}

void addBindings(DemandTable &Demands, const DecompositionDecl *Names) {
  const RecordDecl *Record = definition(Names->getType());
  const bool Members =
      llvm::any_of(Names->bindings(), [](const BindingDecl *Name) {
        return isa_and_nonnull<MemberExpr>(Name->getBinding());
      });
  if (Record && Members)
    addPositions(Demands, Record, Names->bindings().size(),
                 Names->getLocation());
}

void addDesignators(DemandTable &Demands, const InitListExpr *Written) {
  const FieldDecl *Before = nullptr;
  for (const Expr *Init : Written->inits()) {
    const auto *Named = dyn_cast<DesignatedInitExpr>(Init);
    const auto *First = Named ? Named->designators().begin() : nullptr;
    if (!First || !First->isFieldDesignator() || !First->getFieldDecl())
      continue;
    const FieldDecl *Field = First->getFieldDecl();
    if (Before && Before != Field && ownerOf(Before) == ownerOf(Field))
      Demands.add(DemandKind::AssertedOrder, Field, Init->getExprLoc(),
                  numberOf(Before));
    Before = Field;
  }
}

void addParenList(DemandTable &Demands, const Expr *List, unsigned Count) {
  if (const RecordDecl *Record = definition(List->getType()))
    addPositions(Demands, Record, Count, List->getExprLoc());
}

void addBitCast(DemandTable &Demands, const CastExpr *Cast) {
  const RecordDecl *From = definition(Cast->getSubExpr()->getType());
  const RecordDecl *To = definition(Cast->getType());
  if (From != To)
    for (const RecordDecl *Record : {From, To})
      if (Record)
        Demands.add(DemandKind::Overrun, Record, None, None,
                    Cast->getExprLoc());
}

} // namespace kst
