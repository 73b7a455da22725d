// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/UnitDecls.h"

#include "analyzer/facts/AnonymousStructs.h"
#include "analyzer/facts/OwnCode.h"

#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclObjC.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace kst {
namespace {

class DeclWalk {
public:
  explicit DeclWalk(llvm::function_ref<void(const Decl *)> Visit)
      : Visit(Visit) {}

  void inside(const DeclContext *Scope) {
    for (const Decl *D : Scope->decls())
      one(D);
  }

private:
  void one(const Decl *D) {
    if (!D || !Seen.insert(D).second)
      return;
    if (const auto *Friend = dyn_cast<FriendDecl>(D))
      return one(Friend->getFriendDecl());
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D)) {
      for (const FunctionDecl *Instance : Template->specializations())
        one(Instance);
      return;
    }
    if (const auto *Template = dyn_cast<ClassTemplateDecl>(D)) {
      for (const auto *Instance : Template->specializations())
        one(Instance);
      return;
    }
    if (const auto *Template = dyn_cast<VarTemplateDecl>(D)) {
      for (const auto *Instance : Template->specializations())
        one(Instance);
      return;
    }
    const auto *Scope = dyn_cast<DeclContext>(D);
    if (Scope && Scope->isDependentContext())
      return;
    Visit(D);
    if (Scope)
      inside(Scope);
  }

  llvm::function_ref<void(const Decl *)> Visit;
  llvm::SmallPtrSet<const Decl *, 32> Seen;
};

class BodyFinder : public RecursiveASTVisitor<BodyFinder> {
public:
  explicit BodyFinder(ASTContext &Context) : Context(Context) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody() &&
        isOwnFunction(Context, Function) && Seen.insert(Function).second)
      Found.push_back(Function);
    return true;
  }

  llvm::SmallVector<const FunctionDecl *, 32> Found;

private:
  ASTContext &Context;
  llvm::SmallPtrSet<const FunctionDecl *, 32> Seen;
};

class ForeignFinder : public RecursiveASTVisitor<ForeignFinder> {
public:
  explicit ForeignFinder(ASTContext &Context) : Context(Context) {}
  bool VisitBlockDecl(BlockDecl *Block) { return add(Block->getBeginLoc()); }
  bool VisitObjCMethodDecl(ObjCMethodDecl *Method) {
    return !Method->hasBody() || add(Method->getLocation());
  }

  llvm::SmallVector<SourceLocation, 4> Found;

private:
  bool add(SourceLocation Where) {
    if (isOwnPlace(Context.getSourceManager(), Where))
      Found.push_back(Where);
    return true;
  }
  ASTContext &Context;
};

} // namespace

void forEachDecl(ASTContext &Context,
                 llvm::function_ref<void(const Decl *)> Visit) {
  if (Context.getLangOpts().CPlusPlus)
    return DeclWalk(Visit).inside(Context.getTranslationUnitDecl());
  for (const Decl *D : Context.getTranslationUnitDecl()->decls())
    Visit(D);
}

static void recordsIn(const DeclContext *Scope,
                      llvm::function_ref<void(const RecordDecl *)> Visit) {
  for (const Decl *D : Scope->decls())
    if (const auto *Record = dyn_cast<RecordDecl>(D);
        Record && Record->isThisDeclarationADefinition()) {
      if (!isOpened(Record))
        Visit(Record);
      recordsIn(Record, Visit);
    }
}

void forEachRecord(ASTContext &Context,
                   llvm::function_ref<void(const RecordDecl *)> Visit) {
  if (!Context.getLangOpts().CPlusPlus)
    return recordsIn(Context.getTranslationUnitDecl(), Visit);
  forEachDecl(Context, [&](const Decl *D) {
    if (const auto *Record = dyn_cast<RecordDecl>(D);
        Record && Record->isThisDeclarationADefinition() && !isOpened(Record))
      Visit(Record);
  });
}

llvm::SmallVector<SourceLocation, 4> foreignBodies(ASTContext &Context) {
  const LangOptions &Language = Context.getLangOpts();
  ForeignFinder Finder(Context);
  if (Language.ObjC || Language.Blocks)
    Finder.TraverseDecl(Context.getTranslationUnitDecl());
  return std::move(Finder.Found);
}

llvm::SmallVector<const FunctionDecl *, 32> ownBodies(ASTContext &Context) {
  BodyFinder Finder(Context);
  if (Context.getLangOpts().CPlusPlus) {
    Finder.TraverseDecl(Context.getTranslationUnitDecl());
    return std::move(Finder.Found);
  }
  // No function of C is inside of anything else.
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (auto *Function = dyn_cast<FunctionDecl>(D))
      Finder.VisitFunctionDecl(Function);
  return std::move(Finder.Found);
}

} // namespace kst
