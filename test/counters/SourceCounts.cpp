// SPDX-License-Identifier: GPL-2.0-or-later
//
// The second opinion on what the pass plugin counts: it reads clang's syntax
// tree, not LLVM's IR, and counts in the source text. SourceCounts FILE.c
// writes to stdout the same program, in which every executed read and write of
// a member steps a counter of its own: `p->f` becomes `(kst_n[7]++, p->f)`.
// FILE.c is preprocessed C. At its end the program appends to the file
// KST_REFERENCE names, for each site, "struct offset size first-bit bits kind
// line count"; behind the program the source has lines "// skip FROM TO": lines
// with initialisers of local structs, which compilers write in many ways and
// which are not counted here; and "// blind" and a site that compiled code does
// not show, for the reader to leave out.
//
// Shares no code with passes/: what a place in the source is part of is
// written once more, after the description in docs/guide/measuring.md.
// Left out: struct copies, members of unions reached through a pointer to the
// union, atomic members, accesses through pointers with other histories than
// `local variable, assigned once`.

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <tuple>

using namespace clang;

namespace {

/// A place within one object of a struct.
struct Inside {
  const RecordDecl *Struct;
  int64_t Offset;
  int64_t ArrayBytes = 0; ///< not 0: any place of an array at Offset
};

/// Where an lvalue lies: all named structs around it, the innermost last.
struct Where {
  std::vector<Inside> Structs;
  /// The array whose element the place is, by constant index: bytes back to
  /// its start, and its size.
  std::optional<std::pair<int64_t, int64_t>> Element;
  const FieldDecl *Field = nullptr; ///< the last step, if it was to a member
  /// A bit-field that may be in the first storage unit of a struct behind a
  /// plain pointer: compiled code does not name the struct.
  bool Blind = false;
  bool StartsUnion = false; ///< at the start of a union, of no telling member
};

/// How often a variable gets a value, and whether anything but reading it
/// happens.
struct Variable {
  const Expr *Value = nullptr;
  int Values = 0;
  bool Escapes = false;
};

class Uses : public RecursiveASTVisitor<Uses> {
public:
  std::map<const VarDecl *, Variable> Of;
  bool VisitVarDecl(VarDecl *D) {
    if (D->hasLocalStorage() && D->getInit()) {
      Of[D].Value = D->getInit();
      ++Of[D].Values;
    }
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (const VarDecl *D = variable(B->getLHS());
        D && B->getOpcode() == BO_Assign) {
      Of[D].Value = B->getRHS();
      ++Of[D].Values;
      Harmless.insert(B->getLHS()->IgnoreParens());
    }
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *C) {
    if (C->getCastKind() == CK_LValueToRValue && variable(C->getSubExpr()))
      Harmless.insert(C->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (auto *D = dyn_cast<VarDecl>(E->getDecl()))
      if (!Harmless.count(E))
        Of[D].Escapes = true;
    return true;
  }
  static const VarDecl *variable(const Expr *E) {
    auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParens());
    return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  }

private:
  std::set<const Expr *> Harmless; // parents are visited before children
};

class Places {
public:
  Places(ASTContext &C, const Uses &U) : C(C), U(U) {}

  /// Of a scalar lvalue.
  Where of(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      Where W = M->isArrow() ? pointer(M->getBase()) : of(M->getBase());
      if (!F)
        return {};
      int64_t Bits = C.getASTRecordLayout(F->getParent())
                         .getFieldOffset(F->getFieldIndex());
      move(W, Bits / 8);
      if (F->getParent()->isStruct() && F->getParent()->getIdentifier())
        W.Structs.push_back({F->getParent(), Bits / 8});
      W.Field = F;
      if (F->getParent()->isUnion())
        W.StartsUnion = true;
      else if (Bits / 8 && !isInFirstRun(F))
        W.StartsUnion = false;
      // Behind a pointer, or in a union of a global.
      W.Blind = (M->isArrow() && W.Structs.size() <= 1 && isInFirstRun(F)) ||
                (W.StartsUnion && F->getParent()->isStruct());
      W.Element.reset();
      return W;
    }
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      Where W = pointer(A->getBase());
      step(W, A->getIdx(), 1, A->getType());
      W.Field = nullptr;
      return W;
    }
    if (auto *Op = dyn_cast<UnaryOperator>(E);
        Op && Op->getOpcode() == UO_Deref)
      return pointer(Op->getSubExpr());
    return {};
  }

private:
  ASTContext &C;
  const Uses &U;
  int Depth = 0;

  /// Nothing but bit-fields stands before it.
  static bool isInFirstRun(const FieldDecl *F) {
    for (const FieldDecl *Other : F->getParent()->fields()) {
      if (!Other->isBitField())
        return false;
      if (Other == F)
        return true;
    }
    return false;
  }

  static void move(Where &W, int64_t Bytes) {
    for (Inside &I : W.Structs)
      if (!I.ArrayBytes)
        I.Offset += Bytes;
  }

  /// Index elements of that type further.
  void step(Where &W, const Expr *Index, int Sign, QualType Element) {
    int64_t Size = C.getTypeSizeInChars(Element).getQuantity();
    Expr::EvalResult Value;
    if (isa<IntegerLiteral>(Index->IgnoreParenCasts()) &&
        Index->EvaluateAsInt(Value, C)) {
      int64_t Bytes = Sign * Value.Val.getInt().getExtValue() * Size;
      move(W, Bytes);
      if (W.Element)
        W.Element->first += Bytes;
      return;
    }
    for (Inside &I : W.Structs) {
      if (I.ArrayBytes)
        continue;
      I.Offset -= W.Element ? W.Element->first : 0;
      I.ArrayBytes = W.Element ? W.Element->second : Size;
    }
  }

  Where pointer(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *Cast = dyn_cast<CastExpr>(E)) {
      const Expr *Inner = Cast->getSubExpr();
      switch (Cast->getCastKind()) {
      case CK_ArrayToPointerDecay: {
        Where W = of(Inner);
        W.Element = {0, C.getTypeSizeInChars(Inner->getType()).getQuantity()};
        return W;
      }
      case CK_NoOp:
      case CK_BitCast:
        return pointer(Inner);
      case CK_LValueToRValue: {
        const VarDecl *D = Uses::variable(Inner);
        // Constants whose value the front end knows are not loaded.
        Expr::EvalResult Known;
        if (D && D->getType().isConstQualified() && D->getInit() &&
            E->EvaluateAsRValue(Known, C) && Known.Val.isLValue())
          return pointer(D->getInit());
        auto Found = D ? U.Of.find(D) : U.Of.end();
        if (Found == U.Of.end() || Found->second.Values != 1 ||
            Found->second.Escapes || isa<ParmVarDecl>(D) ||
            !D->hasLocalStorage() || Depth > 16)
          return {};
        ++Depth;
        Where W = pointer(Found->second.Value);
        --Depth;
        return W;
      }
      default:
        return {};
      }
    }
    if (auto *Op = dyn_cast<UnaryOperator>(E);
        Op && Op->getOpcode() == UO_AddrOf)
      return of(Op->getSubExpr());
    if (auto *Op = dyn_cast<BinaryOperator>(E);
        Op && Op->isAdditiveOp() && Op->getLHS()->getType()->isPointerType()) {
      Where W = pointer(Op->getLHS());
      step(W, Op->getRHS(), Op->getOpcode() == BO_Add ? 1 : -1,
           Op->getLHS()->getType()->getPointeeType());
      return W;
    }
    return {};
  }
};

class Counter : public RecursiveASTVisitor<Counter> {
public:
  Counter(ASTContext &C, const Uses &U) : C(C), P(C, U) {}

  /// Text at an offset; Depth orders what stands at the same place.
  std::map<std::tuple<unsigned, int, int>, std::string> Edits;
  std::vector<std::string> Sites, Blind;
  std::vector<std::pair<unsigned, unsigned>> Skipped;

  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseVarDecl(VarDecl *D) {
    // Initialisers of statics are constants.
    if (!D->hasLocalStorage())
      return true;
    QualType T = C.getBaseElementType(D->getType());
    if (D->getInit() && T->isRecordType()) {
      auto &SM = C.getSourceManager();
      Skipped.push_back({SM.getSpellingLineNumber(D->getBeginLoc()),
                         SM.getSpellingLineNumber(D->getEndLoc())});
      return true;
    }
    return RecursiveASTVisitor::TraverseVarDecl(D);
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) {
    return true;
  }
  bool TraverseCaseStmt(CaseStmt *S) { return TraverseStmt(S->getSubStmt()); }
  // LLVM 22 has a second parameter.
  bool TraverseTypeLoc(TypeLoc, bool = true) { return true; }

  bool VisitCastExpr(CastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      count(E->getSubExpr(), {{E->getSubExpr(), "read"}});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (!B->isAssignmentOp() || B->getLHS()->getType()->isRecordType())
      return true;
    if (B->isCompoundAssignmentOp())
      count(B, {{B->getLHS(), "read"}, {B->getLHS(), "write"}});
    else
      count(B, {{B->getLHS(), "write"}});
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *O) {
    if (O->isIncrementDecrementOp())
      count(O, {{O->getSubExpr(), "read"}, {O->getSubExpr(), "write"}});
    return true;
  }
  /// In C a member of a struct that a call returns is no lvalue.
  bool VisitMemberExpr(MemberExpr *M) {
    if (M->isPRValue() && M->getType()->isScalarType())
      count(M, {{M, "read"}});
    return true;
  }

private:
  ASTContext &C;
  Places P;

  void count(const Expr *Wrap,
             std::vector<std::pair<const Expr *, const char *>> Accesses) {
    std::string Steps;
    for (auto [Access, Kind] : Accesses) {
      if (Access->getType()->isAtomicType())
        continue;
      // Members of constants whose value the front end knows are not loaded.
      Expr::EvalResult Known;
      if (isa<MemberExpr>(Access->IgnoreParens()) && *Kind == 'r' &&
          Access->EvaluateAsInt(Known, C, Expr::SE_AllowSideEffects))
        continue;
      Where W = P.of(Access);
      for (const Inside &I : W.Structs) {
        Steps += "kst_n[" + std::to_string(Sites.size()) + "]++, ";
        Sites.push_back(site(I, W.Field, Access, Kind));
        if (W.Blind)
          Blind.push_back(Sites.back());
      }
    }
    if (Steps.empty())
      return;
    auto &SM = C.getSourceManager();
    unsigned From = SM.getFileOffset(Wrap->getBeginLoc());
    unsigned To = SM.getFileOffset(
        Lexer::getLocForEndOfToken(Wrap->getEndLoc(), 0, SM, C.getLangOpts()));
    int Length = int(To - From);
    // Closing before opening; the outer one opens first and closes last.
    Edits[{From, 1, -Length}] += "(" + Steps;
    Edits[{To, 0, Length}] += ")";
  }

  std::string site(const Inside &I, const FieldDecl *Field, const Expr *E,
                   const char *Kind) {
    int64_t Offset = I.Offset, Bit = 0, Bits = 0;
    int64_t Size = C.getTypeSizeInChars(E->getType()).getQuantity();
    if (I.ArrayBytes) {
      Size = I.ArrayBytes;
    } else if (Field && Field->isBitField()) {
      Bit = C.getASTRecordLayout(Field->getParent())
                .getFieldOffset(Field->getFieldIndex()) %
            8;
      Bits = Field->getBitWidthValue(
#if LLVM_VERSION_MAJOR < 20
          C
#endif
      );
      Size = (Bit + Bits + 7) / 8;
    }
    return I.Struct->getName().str() + " " + std::to_string(Offset) + " " +
           std::to_string(Size) + " " + std::to_string(Bit) + " " +
           std::to_string(Bits) + " " + Kind + " " +
           std::to_string(
               C.getSourceManager().getSpellingLineNumber(E->getExprLoc()));
  }
};

class Consumer : public ASTConsumer {
  void HandleTranslationUnit(ASTContext &C) override {
    if (C.getDiagnostics().hasErrorOccurred())
      return;
    Uses U;
    U.TraverseDecl(C.getTranslationUnitDecl());
    Counter Found(C, U);
    auto &SM = C.getSourceManager();
    for (Decl *D : C.getTranslationUnitDecl()->decls())
      if (auto *F = dyn_cast<FunctionDecl>(D);
          F && F->isThisDeclarationADefinition())
        Found.TraverseStmt(F->getBody());
    StringRef Text = SM.getBufferData(SM.getMainFileID());
    auto &Out = llvm::outs();
    Out << "extern unsigned long long kst_n[];";
    unsigned At = 0;
    for (auto &[Place, Edit] : Found.Edits) {
      unsigned Offset = std::get<0>(Place);
      Out << Text.substr(At, Offset - At) << Edit;
      At = Offset;
    }
    Out << Text.substr(At) << "\nunsigned long long kst_n["
        << Found.Sites.size() + 1 << "];\nstatic const char *kst_sites[] = {";
    for (const std::string &S : Found.Sites)
      Out << "\"" << S << "\",\n";
    Out << "0};\n"
           "extern char *getenv(const char *);\n"
           "extern int open(const char *, int, ...), close(int);\n"
           "extern int dprintf(int, const char *, ...);\n"
           "__attribute__((destructor(101))) static void kst_tell(void) {\n"
           "  int fd = open(getenv(\"KST_REFERENCE\"), 02101, 0644);\n"
           "  for (int i = 0; kst_sites[i]; ++i)\n"
           "    if (kst_n[i]) dprintf(fd, \"%s %llu\\n\", kst_sites[i], "
           "kst_n[i]);\n"
           "  close(fd);\n}\n";
    for (auto [From, To] : Found.Skipped)
      Out << "// skip " << From << " " << To << "\n";
    for (const std::string &S : Found.Blind)
      Out << "// blind " << S << "\n";
  }
};

class Action : public ASTFrontendAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &,
                                                 StringRef) override {
    return std::make_unique<Consumer>();
  }
};

} // namespace

int main(int Argc, const char **Argv) {
  auto Buffer = Argc == 2 ? llvm::MemoryBuffer::getFile(Argv[1])
                          : std::make_error_code(std::errc::invalid_argument);
  if (!Buffer) {
    llvm::errs() << "usage: SourceCounts PREPROCESSED.c\n";
    return 2;
  }
  return tooling::runToolOnCodeWithArgs(
             std::make_unique<Action>(), (*Buffer)->getBuffer(),
             {"-w", "-std=gnu11", "-fno-builtin"}, "input.c")
             ? 0
             : 1;
}
