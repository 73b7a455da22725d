// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/PointerStores.h"

#include "analyzer/facts/LocalDefinitions.h"

using namespace clang;

namespace kst {

void PointerStores::store(ValueId Address, const Expr *Stored) {
  if (!Stored->getType()->isScalarType())
    return;
  bool Pointer = Stored->getType()->isPointerType();
  if (!Pointer && !Values.isOwnMemory(Address))
    return;
  add(Address, Values.rvalue(Stored));
}

void PointerStores::add(ValueId Address, ValueId Value) {
  ValueKind Kind = Values[Value].Kind;
  if (Kind == ValueKind::Unknown || Kind == ValueKind::Const)
    return;
  Rows.Stores.push_back({Address, Value, Rows.Block, Rows.Order++});
  const ValueFact &Place = Values[Address];
  if (Kind == ValueKind::Function && Place.Kind == ValueKind::Field)
    Unit.Facts.Tables.push_back({Place.B, Place.C, Values[Value].A});
}

/// A record as a whole: the pointers in it, as far as an initialiser or a local
/// variable tells what they are.
void PointerStores::storePointers(ValueId To, const Expr *From) {
  From = From->IgnoreParenCasts();
  if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(From))
    return initialise(To, Literal->getInitializer());
  const VarDecl *Var = namedLocal(From);
  const auto *Rec = From->getType()->getAs<RecordType>();
  if (!Var || !Rec || !Var->hasLocalStorage() || isa<ParmVarDecl>(Var))
    return;
  for (const FieldDecl *Member : Rec->getDecl()->getDefinition()->fields())
    if (Member->getType()->isPointerType())
      add(Values.field(To, Member),
          Values.loadFrom(Values.field(Values.object(Var), Member)));
}

/// xchg() and cmpxchg(): a pointer in a register and a place in memory that is
/// written. An operand that matches another by its number is what was there.
void PointerStores::storeByAsm(const GCCAsmStmt *Asm) {
  llvm::SmallVector<const Expr *, 4> Places, Pointers;
  for (unsigned I = 0, E = Asm->getNumOutputs(); I != E; ++I) {
    const Expr *Operand = Asm->getOutputExpr(I);
    if (Asm->getOutputConstraint(I).find_first_of("mQo") !=
        llvm::StringRef::npos)
      Places.push_back(Operand);
    else if (Asm->isOutputPlusConstraint(I) &&
             Operand->getType()->isPointerType())
      Pointers.push_back(Operand);
  }
  for (unsigned I = 0, E = Asm->getNumInputs(); I != E; ++I)
    if (Asm->getInputExpr(I)->getType()->isPointerType() &&
        Asm->getInputConstraint(I).find_first_of("mQo0123456789") ==
            llvm::StringRef::npos)
      Pointers.push_back(Asm->getInputExpr(I));
  for (const Expr *Place : Places)
    if (Place->isGLValue())
      for (const Expr *Pointer : Pointers)
        add(Values.address(Place), Pointer->isGLValue()
                                       ? Values.load(Pointer)
                                       : Values.rvalue(Pointer));
}

void PointerStores::initialise(ValueId Object, const Expr *Init) {
  const auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens());
  if (!List)
    return;
  if (List->isSyntacticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  if (List->getType()->isArrayType())
    for (unsigned I = 0; I != List->getNumInits(); ++I)
      initialisePart(
          Values.element(
              Object, Values.constant(I),
              List->getType()->castAsArrayTypeUnsafe()->getElementType()),
          List->getInit(I));
  const auto *Rec = List->getType()->getAs<RecordType>();
  if (!Rec)
    return;
  const RecordDecl *Decl = Rec->getDecl()->getDefinition();
  unsigned I = 0;
  for (const FieldDecl *Field : Decl->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    const FieldDecl *Member = Field;
    if (Decl->isUnion()) {
      if (!List->getInitializedFieldInUnion())
        return;
      Member = List->getInitializedFieldInUnion();
    }
    if (I >= List->getNumInits())
      return;
    initialisePart(Values.field(Object, Member), List->getInit(I++));
    if (Decl->isUnion())
      return;
  }
}

void PointerStores::initialisePart(ValueId Place, const Expr *Value) {
  if (!Value)
    return;
  if (isa<InitListExpr>(Value))
    initialise(Place, Value);
  else if (Value->isGLValue()) // a member that is a reference
    add(Place, Values.address(Value));
  else if (!isa<ImplicitValueInitExpr>(Value))
    store(Place, Value);
}

} // namespace kst
