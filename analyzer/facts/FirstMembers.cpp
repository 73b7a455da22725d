// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FirstMembers.h"

#include "analyzer/facts/AnonymousStructs.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kst {

namespace {

/// A record at offset 0 of another, and the member that holds it.
struct Start {
  const RecordDecl *Record;
  const FieldDecl *In; ///< null for the outermost
  unsigned Parent;     ///< index of the record that In belongs to
};

constexpr size_t MaxStarts = 64;

/// All records that one begins with, itself first, outer before inner.
llvm::SmallVector<Start, 8> startsOf(const ASTContext &Context,
                                     const RecordDecl *Outer) {
  llvm::SmallVector<Start, 8> Starts{{Outer, nullptr, 0}};
  for (unsigned I = 0; I != Starts.size() && Starts.size() < MaxStarts; ++I)
    for (const FieldDecl *Field : fieldsOf(Starts[I].Record)) {
      if (offsetInOwner(Context, Field) != 0)
        break;
      QualType Type = Field->getType();
      while (const ArrayType *Array = Context.getAsArrayType(Type))
        Type = Array->getElementType();
      const RecordDecl *Held = Type->getAsRecordDecl();
      Held = Held ? Held->getDefinition() : nullptr;
      if (Held && !Held->isInvalidDecl())
        Starts.push_back({Held, Field, I});
      if (!Starts[I].Record->isUnion() && Field->isUnnamedBitField())
        break;
    }
  return Starts;
}

const RecordDecl *pointee(QualType Type) {
  const auto *Pointer = Type->getAs<PointerType>();
  const RecordDecl *Record =
      Pointer ? Pointer->getPointeeType()->getAsRecordDecl() : nullptr;
  Record = Record ? Record->getDefinition() : nullptr;
  return Record && !Record->isInvalidDecl() ? Record : nullptr;
}

} // namespace

void FirstMembers::addCast(const CastExpr *Cast) {
  if (Cast->getCastKind() != CK_BitCast)
    return;
  const RecordDecl *To = pointee(Cast->getType());
  if (!To)
    return;
  const Expr *Inner = Cast->getSubExpr()->IgnoreParens();
  while (const auto *Through = dyn_cast<CastExpr>(Inner)) {
    if (!Inner->getType()->isVoidPointerType() ||
        Through->getCastKind() != CK_BitCast)
      break;
    Inner = Through->getSubExpr()->IgnoreParens();
  }
  const RecordDecl *From = pointee(Inner->getType());
  if (!From || From == To || !Done.insert({From, To}).second)
    return;

  const ASTContext &Context = Demands.unit().context();
  auto FromStarts = startsOf(Context, From), ToStarts = startsOf(Context, To);
  for (unsigned I = 0; I != FromStarts.size(); ++I)
    for (unsigned J = 0; J != ToStarts.size(); ++J) {
      if (FromStarts[I].Record != ToStarts[J].Record)
        continue;
      auto Add = [&](llvm::ArrayRef<Start> Starts, unsigned At,
                     const RecordDecl *Other) {
        for (; Starts[At].In; At = Starts[At].Parent)
          Demands.add(DemandKind::Cast, Starts[At].In, Cast->getExprLoc(),
                      Demands.unit().record(Other));
      };
      Add(FromStarts, I, To);
      Add(ToStarts, J, From);
      return;
    }
}

} // namespace kst
