// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FactsExtractor.h"

#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/FactsBuilder.h"
#include "analyzer/facts/FrontEndRun.h"
#include "analyzer/facts/FunctionExtractor.h"
#include "analyzer/facts/FunctionTraits.h"
#include "analyzer/facts/HeaderIndex.h"
#include "analyzer/facts/IncludeWalk.h"
#include "analyzer/facts/NeededBodies.h"
#include "analyzer/facts/OrderDemands.h"
#include "analyzer/facts/OwnCode.h"
#include "analyzer/facts/TableCollector.h"
#include "analyzer/facts/UnitDecls.h"
#include "analyzer/facts/Variables.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <deque>

using namespace clang;

namespace kst {

namespace {

/// Walks from what the unit itself defines to the inline functions it uses.
class FactsCollector {
public:
  /// Tells Needed which functions matter.
  FactsCollector(ASTContext &Context, const ExtractRequest &Request,
                 NeededBodies &Needed)
      : Unit(Context, Request.SourceRoot, Request.Directory), Needed(Needed),
        Demands(Unit) {}

  TuFacts collect() {
    ASTContext &Context = Unit.context();
    const SourceManager &Sources = Context.getSourceManager();
    Unit.Facts.MainFile =
        Unit.place(Sources.getLocForStartOfFile(Sources.getMainFileID())).first;
    forEachDecl(Context, [this](const Decl *D) { addRoot(D); });
    while (!Pending.empty()) {
      const FunctionDecl *Function = Pending.front();
      Pending.pop_front();
      Demands.addFunction(Function);
      for (const FunctionDecl *Used : extractFunction(Unit, Function))
        enqueue(Used);
    }
    Unit.addAllRecords();
    for (const VarDecl *Variable : Unit.Statics)
      addVariableFact(Unit, Variable);
    markExported();
    nameUnread();
    Unit.forEachKeyed([&](const FunctionDecl *Fn) { Needed.require(Fn); });
    return std::move(Unit.Facts);
  }

private:
  void addRoot(const Decl *D) {
    if (const auto *Function = dyn_cast<FunctionDecl>(D)) {
      if (Function->isThisDeclarationADefinition() &&
          isOwnFunction(Unit.context(), Function))
        enqueue(Function);
      Demands.addDeclared(Function);
      return;
    }
    if (const auto *Enum = dyn_cast<EnumDecl>(D))
      return Demands.addEnum(Enum);
    if (const auto *Assertion = dyn_cast<StaticAssertDecl>(D))
      return Demands.addAssertion(Assertion);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(D))
      return Demands.addClass(Class);
    if (const auto *Variable = dyn_cast<VarDecl>(D);
        Variable && Variable->isFileVarDecl())
      addVariable(Variable);
  }

  void addVariable(const VarDecl *Variable) {
    if (isExportAnchor(Variable)) {
      size_t Before = Unit.Facts.Tables.size();
      for (const FunctionDecl *Fn : collectTables(Unit, Variable))
        Exported.insert(Unit.functionKey(Fn));
      Unit.Facts.Tables.resize(Before);
      return;
    }
    Demands.addVariable(Variable);
    if (isOwnPlace(Unit.context().getSourceManager(), Variable->getLocation()))
      Unit.Statics.push_back(Variable);
    if (Variable->hasInit() && isOwnPlace(Unit.context().getSourceManager(),
                                          Variable->getLocation())) {
      for (const FunctionDecl *Fn : collectTables(Unit, Variable))
        enqueue(Fn);
      if (Unit.context().getLangOpts().CPlusPlus)
        enterFrom(Variable->getInit());
    }
  }

  /// What C++ runs before main() to make a variable.
  void enterFrom(const Stmt *Part) {
    if (!Part)
      return;
    if (const auto *Made = dyn_cast<CXXConstructExpr>(Part))
      enqueue(Made->getConstructor());
    else if (const auto *Ref = dyn_cast<DeclRefExpr>(Part)) {
      if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl()))
        enqueue(Fn);
    } else if (const auto *Member = dyn_cast<MemberExpr>(Part)) {
      if (const auto *Fn = dyn_cast<FunctionDecl>(Member->getMemberDecl()))
        enqueue(Fn);
    }
    for (const Stmt *Child : Part->children())
      enterFrom(Child);
  }

  /// Whatever the walk above missed: the bodies that clang's own visitor finds
  /// in the unit's text must have facts, each of its own.
  void nameUnread() {
    llvm::DenseMap<StrId, unsigned> Read;
    for (const FunctionFact &Function : Unit.Facts.Functions)
      ++Read[Function.Key];
    for (const FunctionDecl *Body : ownBodies(Unit.context())) {
      unsigned &Left = Read[Unit.functionKey(Body)];
      if (Left) {
        --Left;
        continue;
      }
      auto [File, Line] = Unit.place(Body->getLocation());
      Unit.Facts.Drops.push_back({None, File, Line, Unit.functionName(Body)});
    }
    for (SourceLocation Where : foreignBodies(Unit.context())) {
      auto [File, Line] = Unit.place(Where);
      Unit.Facts.Drops.push_back({None, File, Line, Unit.string("(block)")});
    }
  }

  void enqueue(const FunctionDecl *Function) {
    if (!Mentioned.insert(Function).second || Function->isDependentContext())
      return;
    Needed.require(Function);
    const FunctionDecl *Body = nullptr;
    if (Function->hasBody(Body) && Seen.insert(Body).second)
      Pending.push_back(Body);
  }

  void markExported() {
    for (FunctionFact &Function : Unit.Facts.Functions)
      if (Exported.contains(Function.Key))
        Function.Flags |= FnExported;
  }

  FactsBuilder Unit;
  NeededBodies &Needed;
  OrderDemands Demands;
  std::deque<const FunctionDecl *> Pending;
  llvm::SmallPtrSet<const FunctionDecl *, 32> Mentioned, Seen;
  llvm::DenseSet<StrId> Exported;
};

class FactsConsumer : public ASTConsumer {
public:
  FactsConsumer(const ExtractRequest &Request, NeededBodies &Needed,
                TuFacts &Facts)
      : Request(Request), Needed(Needed), Facts(Facts) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    if (!Context.getDiagnostics().hasErrorOccurred())
      Facts = FactsCollector(Context, Request, Needed).collect();
  }

private:
  const ExtractRequest &Request;
  NeededBodies &Needed;
  TuFacts &Facts;
};

class FactsAction : public ASTFrontendAction {
public:
  FactsAction(const ExtractRequest &Request, NeededBodies &Needed,
              TuFacts &Facts)
      : Request(Request), Needed(Needed), Facts(Facts) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    Preprocessor &PP = Compiler.getPreprocessor();
    if (Compiler.getLangOpts().CPlusPlus)
      Needed.takeWhole();
    else
      PP.addPPCallbacks(stableCounter(PP, Needed));
    return std::make_unique<FactsConsumer>(Request, Needed, Facts);
  }

private:
  const ExtractRequest &Request;
  NeededBodies &Needed;
  TuFacts &Facts;
};

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Parses the unit with these bodies only.
llvm::Expected<TuFacts> parseUnit(const ExtractRequest &Request,
                                  FileSystem Files, NeededBodies &Needed) {
  TuFacts Facts;
  llvm::SmallString<256> Main(Request.Args.back());
  makeAbsolute(Request.Directory, Main);
  if (auto Status = Files->status(Main))
    Needed.setMain(Status->getUniqueID());
  if (llvm::Error Failed = runFrontEnd(
          Request.Args, Request.Directory, reduceHeaders(Files, Needed),
          std::make_unique<FactsAction>(Request, Needed, Facts)))
    return std::move(Failed);
  return Facts;
}

/// The macros of the command line, as a text that defines them.
std::string commandLineMacros(const ExtractRequest &Request) {
  std::string Text;
  for (llvm::StringRef Arg : Request.Args)
    if (Arg.consume_front("-D")) {
      auto [Name, Value] = Arg.split('=');
      Text += ("#define " + Name + " " + Value + "\n").str();
    }
  return Text;
}

/// Tells Needed what the unit itself mentions, as far as that is known yet.
void addSources(const ExtractRequest &Request, llvm::vfs::FileSystem &Files,
                HeaderIndex &Headers, NeededBodies &Needed) {
  Needed.addSource(commandLineMacros(Request));
  IncludedFiles Included = walkIncludes(Request, Headers);
  for (const HeaderIndex::Text *Header : Included.Headers)
    Needed.addHeader(*Header);
  for (const std::string &Source : Included.Sources)
    if (auto Text = Files.getBufferForFile(Source))
      Needed.addSource((*Text)->getBuffer());
}

} // namespace

llvm::Expected<TuFacts> extractFacts(const ExtractRequest &Request,
                                     FileSystem Files) {
  HeaderIndex Own;
  HeaderIndex &Headers = Request.Headers ? *Request.Headers : Own;
  // The first unit of an index learns while it is parsed; later ones are
  // seldom parsed twice.
  constexpr int MaxAttempts = 3;
  for (int Attempt = 0; !Request.Plain && Attempt != MaxAttempts; ++Attempt) {
    NeededBodies Needed(Headers, /*All=*/false);
    addSources(Request, *Files, Headers, Needed);
    llvm::Expected<TuFacts> Facts = parseUnit(Request, Files, Needed);
    if (Facts && Needed.sufficed())
      return Facts;
    if (Facts)
      continue;
    llvm::consumeError(Facts.takeError());
    break; // the whole text has the true error, or none
  }
  NeededBodies Everything(Headers, /*All=*/true);
  return parseUnit(Request, Files, Everything);
}

} // namespace kst
