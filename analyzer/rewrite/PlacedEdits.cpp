// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/PlacedEdits.h"

#include "analyzer/facts/FrontEndRun.h"
#include "analyzer/rewrite/EditText.h"
#include "analyzer/rewrite/SpreadArrays.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace kst {

namespace {

/// Alignment and padding.
class LinePlacer : public RecursiveASTVisitor<LinePlacer> {
public:
  explicit LinePlacer(EditText &To) : To(To) {}

  bool VisitVarDecl(VarDecl *Var) {
    return each(LineEdit::AlignVariable, [&](size_t E) {
      if (To.isDefinedHere(Var, To.Edits[E]))
        To.align(E, Var, To.Edits[E].Bytes);
    });
  }

  bool VisitRecordDecl(RecordDecl *Record) {
    if (!Record->isThisDeclarationADefinition())
      return true;
    each(LineEdit::PadRecord, [&](size_t E) {
      if (To.isMeant(Record, To.Edits[E]))
        padRecord(E, Record);
    });
    return each(LineEdit::AlignMember, [&](size_t E) {
      if (To.isMeant(Record, To.Edits[E]))
        alignMember(E, Record);
    });
  }

  bool VisitCallExpr(CallExpr *Call) {
    return each(LineEdit::AlignBlock, [&](size_t E) {
      if (To.isAt(Call->getExprLoc(), To.Edits[E]) && Call->getDirectCallee())
        alignBlock(E, Call);
    });
  }

  /// What the compiler takes to be aligned has to be allocated so.
  bool VisitCastExpr(CastExpr *Cast) {
    const auto *Call = dyn_cast<CallExpr>(Cast->getSubExpr()->IgnoreParens());
    const QualType Type = Cast->getType();
    if (!Call || !Type->isPointerType() ||
        !Call->getType()->isVoidPointerType())
      return true;
    const RecordDecl *Made = Type->getPointeeType()->getAsRecordDecl();
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Made || (Callee && isAlignedAllocation(Callee->getName())))
      return true;
    return each(LineEdit::AlignMember, [&](size_t E) {
      if (holds(Made, To.Edits[E]))
        alignBlock(E, Call);
    });
  }

  bool VisitCXXNewExpr(CXXNewExpr *New) {
    const RecordDecl *Made = New->getAllocatedType()->getAsRecordDecl();
    if (!Made || To.context().getLangOpts().AlignedAllocation)
      return true;
    return each(LineEdit::AlignMember, [&](size_t E) {
      if (holds(Made, To.Edits[E]))
        To.refuse(E, New->getBeginLoc(), "it is allocated without alignment");
    });
  }

private:
  /// Calls Do for the number of each edit of the kind; true.
  bool each(LineEdit::Kind Kind, llvm::function_ref<void(size_t)> Do) {
    for (size_t E = 0; E != To.Edits.size(); ++E)
      if (To.Edits[E].What == Kind)
        Do(E);
    return true;
  }

  static bool isAlignedAllocation(llvm::StringRef Name) {
    return llvm::is_contained({"aligned_alloc", "memalign", "mmap", "valloc"},
                              Name);
  }

  /// Whether it is the edit's record, or has one inside.
  bool holds(const RecordDecl *Record, const LineEdit &Edit) {
    Record = Record->getDefinition();
    if (!Record)
      return false;
    return To.isMeant(Record, Edit) ||
           llvm::any_of(Record->fields(), [&](const FieldDecl *Field) {
             const Type *Of = Field->getType()->getBaseElementTypeUnsafe();
             return Of->isRecordType() && holds(Of->getAsRecordDecl(), Edit);
           });
  }

  void alignMember(size_t E, const RecordDecl *Record) {
    const FieldDecl *Before = nullptr;
    for (const FieldDecl *Field : Record->fields()) {
      const bool Found = Field->getName() == To.Edits[E].Part;
      const bool Next = Before && !Field->isBitField();
      if (!Found && !Next)
        continue;
      if (Field->isBitField() || Field->getType()->isIncompleteArrayType())
        return To.refuse(E, Field->getLocation(), "it cannot begin on a line");
      To.align(E, Field, To.Edits[E].Bytes);
      if (!Found)
        return;
      Before = Field;
    }
  }

  void padRecord(size_t E, const RecordDecl *Record) {
    const FieldDecl *Last = nullptr;
    for (const FieldDecl *Field : Record->fields())
      Last = Field;
    if (Record->isUnion() || !Last || Record->hasAttr<PackedAttr>() ||
        Last->getType()->isIncompleteArrayType())
      return To.refuse(E, Record->getLocation(),
                       "it cannot be padded at its end");
    const SourceLocation Brace = Record->getBraceRange().getEnd();
    if (Brace.isInvalid() || Brace.isMacroID())
      return To.refuse(E, Record->getLocation(), "a macro makes it");
    const std::string Padding =
        "char rest_of_line[" + std::to_string(To.Edits[E].Bytes) + "];";
    const llvm::StringRef Front = To.lineTo(Brace);
    if (!Front.trim().empty()) // on the line of a member
      return To.put(E, Brace, Padding + " ");
    const llvm::StringRef Indent =
        To.lineTo(Last->getBeginLoc()).take_while([](char C) {
          return C == ' ' || C == '\t';
        });
    To.put(E, Brace.getLocWithOffset(-int(Front.size())),
           Indent + llvm::Twine(Padding) + "\n");
  }

  void alignBlock(size_t E, const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || Callee->getName() != "malloc" || Call->getNumArgs() != 1)
      return To.refuse(E, Call->getExprLoc(),
                       (Callee ? Callee->getName() : "a call") +
                           "() cannot be asked for whole lines");
    const Expr *Size = Call->getArg(0);
    if (const auto *Given = dyn_cast<DeclRefExpr>(Size->IgnoreParenImpCasts());
        Given && isa<ParmVarDecl>(Given->getDecl()))
      return To.refuse(E, Call->getExprLoc(), "it allocates for others");
    const std::string Line = std::to_string(To.Edits[E].Bytes),
                      Less = std::to_string(To.Edits[E].Bytes - 1);
    const CharSourceRange Text = To.written(Size);
    To.put(E, Call->getCallee()->getBeginLoc(), "aligned_alloc",
           sizeof("malloc") - 1);
    To.put(E, Text.getBegin(), Line + ", ((");
    To.put(E, Text.getEnd(), ") + " + Less + ") / " + Line + " * " + Line);
  }

  EditText &To;
};

struct Request {
  const ProbeUnit &Unit;
  const std::string &SourceRoot;
  llvm::ArrayRef<LineEdit> Edits;
  std::vector<PlacedEdit> Placed;
  std::set<std::string> Skipped; ///< words in code that #if leaves out
};

class SkippedWords : public PPCallbacks {
public:
  SkippedWords(Request &Of, SourceManager &Manager, const LangOptions &Options)
      : Of(Of), Manager(Manager), Options(Options) {}
  void SourceRangeSkipped(SourceRange Range, SourceLocation) override {
    if (Manager.isInSystemHeader(Range.getBegin()))
      return;
    const llvm::StringRef Text = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), Manager, Options);
    auto InWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
    for (size_t I = 0; I < Text.size();) {
      const llvm::StringRef Word = Text.substr(I).take_while(InWord);
      if (!Word.empty())
        Of.Skipped.insert(Word.str());
      I += Word.size() + 1;
    }
  }

private:
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
    LinePlacer(To).TraverseDecl(Context.getTranslationUnitDecl());
    spreadArrays(To, Of.Skipped);
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
