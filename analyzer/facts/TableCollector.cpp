// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/TableCollector.h"

#include "clang/AST/Expr.h"

using namespace clang;

namespace kst {

namespace {

class TableCollector {
public:
  explicit TableCollector(FactsBuilder &Unit) : Unit(Unit) {}
  llvm::SmallVector<const FunctionDecl *, 8> Found;

  void walk(const Expr *Init, uint32_t Record, uint32_t Field) {
    Init = Init->IgnoreParenImpCasts();
    if (const auto *Cast = dyn_cast<ExplicitCastExpr>(Init))
      return walk(Cast->getSubExpr(), Record, Field);
    if (const auto *Unary = dyn_cast<UnaryOperator>(Init))
      return walk(Unary->getSubExpr(), Record, Field);
    if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(Init))
      return walk(Literal->getInitializer(), Record, Field);
    if (const auto *List = dyn_cast<InitListExpr>(Init))
      return walkList(List, Record, Field);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Init))
      if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl())) {
        Unit.Facts.Tables.push_back({Record, Field, Unit.functionKey(Fn)});
        Found.push_back(Fn);
      }
  }

private:
  void walk(const Expr *Init, const FieldDecl *Member) {
    auto [Record, Number] = Unit.member(Member);
    walk(Init, Record, Number);
  }

  void walkList(const InitListExpr *List, uint32_t Record, uint32_t Field) {
    if (List->isSyntacticForm() && List->getSemanticForm())
      List = List->getSemanticForm();
    const auto *Rec = List->getType()->getAs<RecordType>();
    if (!Rec) {
      for (const Expr *Init : List->inits())
        walk(Init, Record, Field);
      return;
    }
    const RecordDecl *Decl = Rec->getDecl()->getDefinition();
    if (Decl->isUnion()) {
      if (const FieldDecl *Member = List->getInitializedFieldInUnion())
        if (List->getNumInits())
          walk(List->getInit(0), Member);
      return;
    }
    unsigned I = 0;
    for (const FieldDecl *Member : Decl->fields()) {
      if (Member->isUnnamedBitField())
        continue;
      if (I >= List->getNumInits())
        return;
      const Expr *Init = List->getInit(I++);
      if (Init && !isa<ImplicitValueInitExpr>(Init))
        walk(Init, Member);
    }
  }

  FactsBuilder &Unit;
};

} // namespace

llvm::SmallVector<const FunctionDecl *, 8>
collectTables(FactsBuilder &Unit, const VarDecl *Variable) {
  if (!Variable->hasInit())
    return {};
  // Ties between sites go by the order in which their files are first named.
  if (Variable->getFormalLinkage() != Linkage::External)
    Unit.place(Variable->getLocation());
  TableCollector Collector(Unit);
  Collector.walk(Variable->getInit(), None, 0);
  return std::move(Collector.Found);
}

} // namespace kst
