// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/PlacedEdits.h"

#include "analyzer/facts/FrontEndRun.h"
#include "analyzer/rewrite/AlignedLines.h"
#include "analyzer/rewrite/EditText.h"
#include "analyzer/rewrite/SpreadArrays.h"
#include "hybrid/core/Words.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroArgs.h"
#include "clang/Lex/MacroInfo.h"

using namespace clang;

namespace kst {

namespace {

struct Request {
  const ProbeUnit &Unit;
  const std::string &SourceRoot;
  llvm::ArrayRef<LineEdit> Edits;
  std::vector<PlacedEdit> Placed;
  std::set<std::string> Skipped;  ///< words in code that #if leaves out
  std::set<std::string> InMacros; ///< in arguments that are not used once
};

/// Words in code that #if leaves out, and in arguments of macros that leave
/// them out, paste them, make text of them, or use them more than once.
class SkippedWords : public PPCallbacks {
public:
  SkippedWords(Request &Of, SourceManager &Manager, const LangOptions &Options)
      : Of(Of), Manager(Manager), Options(Options) {}
  void MacroExpands(const Token &, const MacroDefinition &Definition,
                    SourceRange, const MacroArgs *Args) override {
    const MacroInfo *Macro = Definition.getMacroInfo();
    for (unsigned P = 0; Args && P != Macro->getNumParams(); ++P)
      if (!isUsedOnce(*Macro, Macro->params()[P]))
        for (const Token *T = Args->getUnexpArgument(P); T->isNot(tok::eof);
             ++T)
          if (const IdentifierInfo *Word = T->getIdentifierInfo())
            if (llvm::any_of(Of.Edits, [&](const LineEdit &Edit) {
                  return Word->getName() == (Edit.What == LineEdit::SpreadMember
                                                 ? Edit.Part
                                                 : Edit.Name);
                }))
              Of.InMacros.insert(Word->getName().str());
  }
  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    if (Manager.isInSystemHeader(Range.getBegin()))
      return;
    const llvm::StringRef Text = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), Manager, Options);
    forEachWord(std::string_view(Text),
                [&](std::string_view Word) { Of.Skipped.emplace(Word); });
  }

private:
  static bool isUsedOnce(const MacroInfo &Macro,
                         const IdentifierInfo *Parameter) {
    unsigned Uses = 0;
    const llvm::ArrayRef<Token> Body = Macro.tokens();
    for (size_t T = 0; T != Body.size(); ++T) {
      if (Body[T].getIdentifierInfo() != Parameter)
        continue;
      const bool Behind = T && Body[T - 1].isOneOf(tok::hash, tok::hashhash);
      if (Behind || (T + 1 != Body.size() && Body[T + 1].is(tok::hashhash)))
        return false;
      ++Uses;
    }
    return Uses == 1;
  }

  Request &Of;
  SourceManager &Manager;
  const LangOptions &Options;
};

class PlacingConsumer : public ASTConsumer {
public:
  explicit PlacingConsumer(Request &Of) : Of(Of) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    EditText To(Context, Of.SourceRoot, Of.Unit.Directory, Of.Edits, Of.Placed);
    alignLines(To);
    spreadArrays(To, Of.Skipped, Of.InMacros);
  }

private:
  Request &Of;
};

class PlacingAction : public ASTFrontendAction {
public:
  explicit PlacingAction(Request &Of) : Of(Of) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<SkippedWords>(
        Of, Compiler.getSourceManager(), Compiler.getLangOpts()));
    return std::make_unique<PlacingConsumer>(Of);
  }

private:
  Request &Of;
};

} // namespace

llvm::Expected<std::vector<PlacedEdit>>
placeEdits(const ProbeUnit &Unit, const std::string &SourceRoot,
           llvm::ArrayRef<LineEdit> Edits) {
  Request Of{
      Unit, SourceRoot, Edits, std::vector<PlacedEdit>(Edits.size()), {}};
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk(
      llvm::vfs::createPhysicalFileSystem());
  Disk->setCurrentWorkingDirectory(Unit.Directory);
  if (llvm::Error Failed =
          runFrontEnd(Unit.Args, Unit.Directory, std::move(Disk),
                      std::make_unique<PlacingAction>(Of)))
    return std::move(Failed);
  return std::move(Of.Placed);
}

} // namespace kst
