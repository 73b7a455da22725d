// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/AlignedLines.h"

#include "clang/AST/RecursiveASTVisitor.h"

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
      if (!To.isMeant(Record, To.Edits[E]))
        return;
      const LangOptions &Options = To.context().getLangOpts();
      if (Options.CPlusPlus && !Options.AlignedAllocation)
        To.refuse(E, Record->getLocation(), "new does not align before C++17");
      alignMember(E, Record);
    });
  }

  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const bool Named = Callee && Callee->getIdentifier();
    const llvm::StringRef Name = Named ? Callee->getName() : "";
    const bool Allocates = Name.contains("alloc") || Name.contains("memalign");
    each(LineEdit::AlignBlock, [&](size_t E) {
      if (To.isAt(Call->getExprLoc(), To.Edits[E]) && Allocates)
        alignBlock(E, Call);
    });
    if (Allocates && !isAlignedAllocation(Name))
      each(LineEdit::AlignMember, [&](size_t E) {
        if (llvm::any_of(Call->arguments(), [&](const Expr *Arg) {
              return hasSizeOf(Arg, To.Edits[E]);
            }))
          alignBlock(E, Call);
      });
    if (movesBytes(Name))
      ofRecords([&](size_t E) { checkBytes(E, Call); });
    return true;
  }

  bool VisitAtomicExpr(AtomicExpr *Of) {
    const QualType Type = Of->getPtr()->getType()->getPointeeType();
    if (const RecordDecl *Whole =
            Type.getAtomicUnqualifiedType()->getAsRecordDecl())
      ofRecords([&](size_t E) {
        if (holds(Whole, To.Edits[E]))
          To.refuse(E, Of->getExprLoc(), "its bytes are used as such");
      });
    return true;
  }

  /// What the compiler takes to be aligned has to be allocated so.
  bool VisitCastExpr(CastExpr *Cast) {
    const Expr *From = Cast->getSubExpr()->IgnoreParenImpCasts();
    const QualType Type = Cast->getType();
    if (!Type->isPointerType() || !From->getType()->isPointerType())
      return true;
    const RecordDecl *Made = Type->getPointeeType()->getAsRecordDecl();
    const RecordDecl *Was =
        From->getType()->getPointeeType()->getAsRecordDecl();
    if (Was && !Made && !Type->isVoidPointerType())
      ofRecords([&](size_t E) {
        if (holds(Was, To.Edits[E]))
          To.refuse(E, Cast->getExprLoc(), "its bytes are used as such");
      });
    const auto *Call = dyn_cast<CallExpr>(From);
    const bool Bytes = From->getType()->getPointeeType()->isCharType();
    if (!Made || (!Bytes && !(Call && From->getType()->isVoidPointerType())))
      return true;
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (Callee && Callee->getIdentifier() &&
        isAlignedAllocation(Callee->getName()))
      return true;
    return each(LineEdit::AlignMember, [&](size_t E) {
      if (!holds(Made, To.Edits[E]))
        return;
      if (Bytes)
        To.refuse(E, Cast->getExprLoc(), "its objects lie among bytes");
      else
        alignBlock(E, Call);
    });
  }

  bool VisitFieldDecl(FieldDecl *Field) {
    const Type *Of = Field->getType()->getBaseElementTypeUnsafe();
    if (Field->getParent()->isUnion() && Of->isRecordType())
      ofRecords([&](size_t E) {
        if (holds(Of->getAsRecordDecl(), To.Edits[E]))
          To.refuse(E, Field->getLocation(), "a union has it");
      });
    return true;
  }

  bool VisitInitListExpr(InitListExpr *List) {
    if (const InitListExpr *Semantic =
            List->isSemanticForm() ? List : List->getSemanticForm())
      checkBraces(*Semantic, false);
    return true;
  }

private:
  /// Calls Do for each edit that changes a record.
  void ofRecords(llvm::function_ref<void(size_t)> Do) {
    for (const auto Kind :
         {LineEdit::PadRecord, LineEdit::AlignMember, LineEdit::SpreadMember})
      each(Kind, Do);
  }

  static bool movesBytes(llvm::StringRef Name) {
    return llvm::is_contained({"memcpy", "memmove", "memcmp", "bcmp", "fwrite",
                               "fread", "write", "read", "send", "recv"},
                              Name);
  }

  /// Bytes of a record that go elsewhere, or are compared.
  void checkBytes(size_t E, const CallExpr *Call) {
    const RecordDecl *Seen[2] = {};
    unsigned Pointers = 0;
    for (const Expr *Arg : Call->arguments()) {
      const QualType Type = Arg->IgnoreParenCasts()->getType();
      if (Type->isPointerType() || Type->isArrayType())
        if (Pointers != 2)
          Seen[Pointers++] =
              Type->isPointerType()
                  ? Type->getPointeeType()->getAsRecordDecl()
                  : Type->getBaseElementTypeUnsafe()->getAsRecordDecl();
    }
    const bool Copies = Call->getDirectCallee()->getName() == "memcpy" ||
                        Call->getDirectCallee()->getName() == "memmove";
    const bool Whole = Copies && Seen[0] && Seen[1] &&
                       Seen[0]->getDefinition() == Seen[1]->getDefinition();
    for (const RecordDecl *Of : Seen)
      if (Of && !Whole && holds(Of, To.Edits[E]))
        To.refuse(E, Call->getExprLoc(), "its bytes are used as such");
  }

  bool hasSizeOf(const Stmt *In, const LineEdit &Edit) {
    if (!In)
      return false;
    if (const auto *Of = dyn_cast<UnaryExprOrTypeTraitExpr>(In)) {
      const Type *Type = Of->getTypeOfArgument()->getBaseElementTypeUnsafe();
      return Of->getKind() == UETT_SizeOf && Type->isRecordType() &&
             holds(Type->getAsRecordDecl(), Edit);
    }
    return llvm::any_of(In->children(), [&](const Stmt *Part) {
      return hasSizeOf(Part, Edit);
    });
  }

  /// One more member shifts what a list without braces gives the next ones, and
  /// is missing in one that has values for all. `Inside`: of another list.
  void checkBraces(const InitListExpr &List, bool Inside) {
    const auto *Record = List.getType()->getAsRecordDecl();
    const InitListExpr *Written = List.getSyntacticForm();
    if (Record && (Written ? Written->getNumInits() > 1 : Inside))
      each(LineEdit::PadRecord, [&](size_t E) {
        if (To.isMeant(Record, To.Edits[E]))
          To.refuse(E, List.getBeginLoc(), "it gets values in a list");
      });
    for (const Expr *Init : List.inits())
      if (const auto *Inner = dyn_cast_or_null<InitListExpr>(Init))
        checkBraces(*Inner, true);
  }

  /// `T x[]`, and what older code has for that.
  static bool isFlexible(const FieldDecl *Field) {
    const auto *Array =
        dyn_cast<ConstantArrayType>(Field->getType().getTypePtr());
    return Field->getType()->isIncompleteArrayType() ||
           (Array && Array->getSize().ule(1));
  }

  static bool comparesMembers(const RecordDecl *Record) {
    const auto *Class = dyn_cast<CXXRecordDecl>(Record);
    return Class && llvm::any_of(Class->methods(), [](const auto *Method) {
             return Method->isDefaulted() &&
                    (Method->getOverloadedOperator() == OO_EqualEqual ||
                     Method->getOverloadedOperator() == OO_Spaceship);
           });
  }

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
      if (Field->isBitField() || isFlexible(Field) ||
          Record->hasAttr<PackedAttr>())
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
        isFlexible(Last) || comparesMembers(Record))
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
    const auto *Name =
        dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
    if (!Callee || !Callee->getIdentifier() || Callee->getName() != "malloc" ||
        Call->getNumArgs() != 1 || !Name || Name->hasQualifier())
      return To.refuse(
          E, Call->getExprLoc(),
          (Callee && Callee->getIdentifier() ? Callee->getName() : "a call") +
              "() cannot be asked for whole lines");
    ASTContext &Context = To.context();
    if (Context.getTranslationUnitDecl()
            ->lookup(&Context.Idents.get("aligned_alloc"))
            .empty())
      return To.refuse(E, Call->getExprLoc(),
                       "aligned_alloc() is not declared there");
    const Expr *Size = Call->getArg(0);
    if (const auto *Given = dyn_cast<DeclRefExpr>(Size->IgnoreParenImpCasts());
        Given && isa<ParmVarDecl>(Given->getDecl()))
      return To.refuse(E, Call->getExprLoc(), "it allocates for others");
    const std::string Line = std::to_string(To.Edits[E].Bytes),
                      Less = std::to_string(To.Edits[E].Bytes - 1);
    const CharSourceRange Text = To.written(Size);
    To.put(E, Name->getLocation(), "aligned_alloc", sizeof("malloc") - 1);
    To.put(E, Text.getBegin(), Line + ", ((");
    To.put(E, Text.getEnd(), ") + " + Less + ") / " + Line + " * " + Line);
  }

  EditText &To;
};

} // namespace

void alignLines(EditText &To) {
  LinePlacer(To).TraverseDecl(To.context().getTranslationUnitDecl());
}

} // namespace kst
