// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/DeclNames.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace kst {

DeclNames::DeclNames(ASTContext &Context) : Context(Context) {
  if (Context.getLangOpts().CPlusPlus)
    Mangler.reset(Context.createMangleContext());
}
DeclNames::~DeclNames() = default;

/// As C names it, so that units in both languages mean the same.
static bool isNamedAsInC(const NamedDecl *Decl) {
  if (const auto *Function = dyn_cast<FunctionDecl>(Decl))
    return Function->isExternC() || Function->isMain();
  const auto *Variable = dyn_cast<VarDecl>(Decl);
  return Variable && Variable->isExternC();
}

std::string DeclNames::linkName(const NamedDecl *Decl) {
  if (!Mangler || isNamedAsInC(Decl) || !Mangler->shouldMangleDeclName(Decl))
    return Decl->getNameAsString();
  GlobalDecl Of;
  if (const auto *Made = dyn_cast<CXXConstructorDecl>(Decl))
    Of = GlobalDecl(Made, Ctor_Complete);
  else if (const auto *Ended = dyn_cast<CXXDestructorDecl>(Decl))
    Of = GlobalDecl(Ended, Dtor_Complete);
  else if (const auto *Function = dyn_cast<FunctionDecl>(Decl))
    Of = GlobalDecl(Function);
  else
    Of = GlobalDecl(cast<VarDecl>(Decl));
  std::string Name;
  llvm::raw_string_ostream Out(Name);
  Mangler->mangleName(Of, Out);
  // Closures without a number of their own are counted as they are asked for.
  const auto *Method = dyn_cast<CXXMethodDecl>(Decl);
  if (Method && Method->getParent()->isLambda() &&
      !Method->isExternallyVisible()) {
    const SourceManager &Sources = Context.getSourceManager();
    const SourceLocation At = Sources.getExpansionLoc(Method->getLocation());
    Out << '@' << Sources.getExpansionLineNumber(At) << '.'
        << Sources.getExpansionColumnNumber(At);
  }
  return Name;
}

static std::string qualified(const NamedDecl *Decl) {
  PrintingPolicy Policy(Decl->getASTContext().getLangOpts());
  Policy.SuppressUnwrittenScope = true;
  Policy.AnonymousTagLocations = false;
  std::string Name;
  llvm::raw_string_ostream Out(Name);
  Decl->getNameForDiagnostic(Out, Policy, /*Qualified=*/true);
  return Name;
}

std::string DeclNames::shown(const FunctionDecl *Function) {
  if (!Function->getASTContext().getLangOpts().CPlusPlus)
    return Function->getNameAsString();
  const auto *Method = dyn_cast<CXXMethodDecl>(Function);
  if (!Method || !Method->getParent()->isLambda())
    return qualified(Function);
  const DeclContext *In = Method->getParent()->getDeclContext();
  while (In && !isa<FunctionDecl>(In) && !In->isFileContext())
    In = In->getParent();
  const auto *Around = dyn_cast_or_null<FunctionDecl>(In);
  return (Around ? shown(Around) + "::" : std::string()) + "lambda";
}

/// Of `struct { ... } ring;`, not inside of a function.
static std::string ofVariable(const RecordDecl *Record) {
  if (!Record->getDeclContext()->isFileContext())
    return "";
  const auto *Next = dyn_cast_or_null<VarDecl>(Record->getNextDeclInContext());
  const Type *Of = Next ? Next->getType()->getBaseElementTypeUnsafe() : nullptr;
  if (!Of || Of->getAsRecordDecl() != Record)
    return "";
  return "(" +
         (Record->getASTContext().getLangOpts().CPlusPlus
              ? qualified(Next)
              : Next->getNameAsString()) +
         ")";
}

std::string DeclNames::shown(const RecordDecl *Record) {
  const NamedDecl *Named = Record;
  if (!Record->getIdentifier())
    Named = Record->getTypedefNameForAnonDecl();
  if (!Named)
    return ofVariable(Record);
  return Record->getASTContext().getLangOpts().CPlusPlus
             ? qualified(Named)
             : Named->getNameAsString();
}

} // namespace kst
