// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/DeclaredFacts.h"

#include "analyzer/facts/FactsBuilder.h"
#include "analyzer/facts/FrontEndRun.h"
#include "analyzer/facts/UnitDecls.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"

using namespace clang;

namespace kst {
namespace {

class DeclaredConsumer : public ASTConsumer {
public:
  DeclaredConsumer(const ExtractRequest &Request, TuFacts &Facts)
      : Request(Request), Facts(Facts) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    FactsBuilder Unit(Context, Request.SourceRoot, Request.Directory);
    const SourceManager &Sources = Context.getSourceManager();
    Unit.Facts.MainFile =
        Unit.place(Sources.getLocForStartOfFile(Sources.getMainFileID())).first;
    forEachDecl(Context, [&](const Decl *D) {
      if (const auto *Function = dyn_cast<FunctionDecl>(D);
          Function && Function->isThisDeclarationADefinition())
        add(Unit, Function);
    });
    Unit.addAllRecords();
    Facts = std::move(Unit.Facts);
  }

private:
  static void add(FactsBuilder &Unit, const FunctionDecl *Function) {
    FunctionFact Fact;
    Fact.Key = Unit.functionKey(Function);
    Fact.Name = Unit.functionName(Function);
    std::tie(Fact.File, Fact.Line) = Unit.place(Function->getLocation());
    Unit.Facts.Functions.push_back(Fact);
  }

  const ExtractRequest &Request;
  TuFacts &Facts;
};

class DeclaredAction : public ASTFrontendAction {
public:
  DeclaredAction(const ExtractRequest &Request, TuFacts &Facts)
      : Request(Request), Facts(Facts) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    Compiler.getFrontendOpts().SkipFunctionBodies = true;
    return std::make_unique<DeclaredConsumer>(Request, Facts);
  }

private:
  const ExtractRequest &Request;
  TuFacts &Facts;
};

} // namespace

llvm::Expected<TuFacts>
declaredFacts(const ExtractRequest &Request,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  TuFacts Facts;
  if (llvm::Error Failed =
          runFrontEnd(Request.Args, Request.Directory, std::move(Files),
                      std::make_unique<DeclaredAction>(Request, Facts)))
    return std::move(Failed);
  return Facts;
}

} // namespace kst
