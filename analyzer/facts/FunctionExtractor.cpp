// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FunctionExtractor.h"
#include "analyzer/facts/BranchTests.h"

#include "analyzer/facts/AsmOperands.h"
#include "analyzer/facts/BodyExtractor.h"
#include "analyzer/facts/Calls.h"
#include "analyzer/facts/LibraryCalls.h"
#include "analyzer/facts/SlabCaches.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace kst {

/// A scalar by its value, and in C++ the address of an object that is bound to
/// a reference.
void BodyExtractor::addArgument(CallFact &Call, std::vector<uint32_t> &Args,
                                const Expr *Arg, bool Printed) {
  const QualType Type = Arg->getType();
  const bool Bound = Arg->isGLValue();
  if ((Bound || Type->isPointerType()) && Args.size() < 32) {
    Call.PointerArgs |= 1u << Args.size();
    if ((Bound ? Type : Type->getPointeeType()).isConstQualified() || Printed)
      Call.ConstArgs |= 1u << Args.size();
  }
  // `malloc(sizeof(struct s))`
  if (!Bound && Type->isIntegerType() && !Arg->isValueDependent())
    if (const auto Number = Arg->getIntegerConstantExpr(Unit.context())) {
      Args.push_back(Values.constant(Number->getLimitedValue()));
      return;
    }
  Args.push_back(Bound                  ? Values.address(Arg)
                 : Type->isScalarType() ? Values.rvalue(Arg)
                                        : None);
}

uint32_t BodyExtractor::callIndex(const Expr *E) {
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    return newIndex(New);
  const auto *Call = cast<CallExpr>(E);
  auto [It, New] = CallIndices.try_emplace(Call, Rows.Calls.size());
  uint32_t Index = It->second;
  if (!New)
    return Index;
  Rows.Calls.emplace_back();
  Rows.CallArgs.emplace_back();
  CallFact Fact;
  Fact.Block = Rows.Block;
  std::tie(Fact.File, Fact.Line) = Unit.place(Call->getExprLoc());
  const FunctionDecl *Callee = enteredFunction(Call);
  if (Callee) {
    Fact.Callee = Unit.functionKey(Callee);
  } else {
    Fact.Kind = CallKind::Pointer;
    const ValueFact &Target = Values[Values.rvalue(Call->getCallee())];
    // `p->ops->run(p)`: the pointer was loaded from a member of a table.
    if (Target.Kind == ValueKind::Load &&
        Values[Target.A].Kind == ValueKind::Field) {
      Fact.Kind = CallKind::Table;
      Fact.TableRecord = Values[Target.A].B;
      Fact.TableField = Values[Target.A].C;
    } else if (Target.Kind == ValueKind::Function) {
      Fact.Kind = CallKind::Direct;
      Fact.Callee = Target.A;
    }
  }
  std::vector<uint32_t> Args;
  for (const Expr *Arg : argumentsOf(Call))
    if (Callee && makesThread(Callee))
      addCopied(Fact, Args, Arg);
    else
      addArgument(Fact, Args, Arg, Callee && isPrinted(*Callee, Args.size()));
  Rows.Calls[Index] = Fact;
  Rows.CallArgs[Index] = std::move(Args);
  return Index;
}

/// The compiler keeps a plain value it has just read or written in a register
/// until the end of the block or a call: the second read costs nothing.
bool BodyExtractor::repeatsRead(const AccessFact &Access) {
  unsigned &Seen = SeenInBlock[Access.Address];
  bool Repeats = Access.Kind == AccessForm::Read && Seen &&
                 !(Access.Qualifiers & (QualOnce | QualAtomic));
  Seen |= Access.Kind == AccessForm::Read ? 1 : 2;
  return Repeats;
}

void BodyExtractor::accessAt(ValueId Address, AccessForm Kind,
                             SourceLocation Where, uint32_t Qualifiers,
                             uint32_t SizeBytes, SourceLocation Named) {
  if (Values.isOwnMemory(Address))
    return;
  const ValueFact &Value = Values[Address];
  if (Value.Kind == ValueKind::Unknown || Value.Kind == ValueKind::Const)
    return;
  AccessFact Fact;
  Fact.Address = Address;
  Fact.Kind = Kind;
  Fact.Qualifiers = Qualifiers;
  Fact.Block = Rows.Block;
  Fact.SizeBytes = SizeBytes;
  if (repeatsRead(Fact))
    return;
  Fact.Order = Rows.Order++;
  std::tie(Fact.File, Fact.Line) = Unit.place(Where);
  Fact.Column = Unit.column(Named.isValid() ? Named : Where);
  Rows.Accesses.push_back(Fact);
}

void BodyExtractor::access(const Expr *Lvalue, AccessForm Kind,
                           SourceLocation Where, uint32_t Qualifiers) {
  QualType Type = Lvalue->getType();
  if (Type.isVolatileQualified())
    Qualifiers |= QualOnce;
  bool Bulk = Type->isRecordType() || Type->isArrayType();
  if (Bulk && Kind == AccessForm::Read)
    Kind = AccessForm::BulkRead;
  if (Bulk && Kind == AccessForm::Write)
    Kind = AccessForm::BulkWrite;
  uint32_t Size = Type->isIncompleteType()
                      ? 0
                      : Unit.context().getTypeSizeInChars(Type).getQuantity();
  ValueId Address = Values.address(Lvalue);
  accessAt(Address, Kind, Where, Qualifiers, Size,
           Kind == AccessForm::Read ? Lvalue->getExprLoc() : Where);
}

void BodyExtractor::visitCast(const ImplicitCastExpr *Cast) {
  if (Cast->getCastKind() != CK_LValueToRValue)
    return;
  const Expr *Lvalue = Cast->getSubExpr();
  if (const VarDecl *Var = namedLocal(Lvalue))
    if (Var->getType()->isScalarType())
      return;
  access(Lvalue, AccessForm::Read, Cast->getExprLoc());
}

void BodyExtractor::visitBinary(const BinaryOperator *Binary) {
  if (!Binary->isAssignmentOp())
    return;
  const Expr *Left = Binary->getLHS();
  if (const VarDecl *Var = namedLocal(Left))
    if (Var->getType()->isScalarType())
      return;
  bool Plain = Binary->getOpcode() == BO_Assign;
  access(Left, Plain ? AccessForm::Write : AccessForm::ReadWrite,
         Binary->getOperatorLoc());
  if (Plain && Left->getType()->isRecordType())
    Stores.storePointers(Values.address(Left), Binary->getRHS());
  else if (Plain)
    Stores.store(Values.address(Left), Binary->getRHS());
}

/// The length of a block of memory, 0 when it is not constant. Follows local
/// variables that are set once, as checks around memcpy() have them.
uint32_t BodyExtractor::constantLength(const Expr *Length) const {
  Expr::EvalResult Result;
  for (unsigned Depth = 0; Depth != 4; ++Depth) {
    if (!Length->getType()->isIntegerType() || Length->isValueDependent())
      return 0;
    if (Length->EvaluateAsInt(Result, Unit.context()))
      return Result.Val.getInt().getLimitedValue(~0u);
    const VarDecl *Var = namedLocal(Length);
    const LocalVariable *Local = Var ? Locals.find(Var) : nullptr;
    if (!Local || Local->AddressTaken || Local->Definitions.size() != 1 ||
        isa<ParmVarDecl>(Var) ||
        Local->Definitions[0].How != LocalDefinition::Assigned)
      return 0;
    Length = Local->Definitions[0].Value;
  }
  return 0;
}

/// Less than a whole record, from its start: of its first member on.
ValueId BodyExtractor::firstMember(ValueId Address, const Expr *Pointer,
                                   uint32_t SizeBytes) {
  QualType Type = Pointer->IgnoreParenCasts()->getType();
  if (!SizeBytes || !Type->isPointerType())
    return Address;
  const auto *Rec = Type->getPointeeType()->getAs<RecordType>();
  const RecordDecl *Decl = Rec ? Rec->getDecl()->getDefinition() : nullptr;
  if (!Decl || Decl->isUnion() || Decl->field_empty() ||
      SizeBytes >= Unit.context()
                       .getTypeSizeInChars(Type->getPointeeType())
                       .getQuantity())
    return Address;
  return Values.field(Address, *Decl->field_begin());
}

void BodyExtractor::visitBuiltin(const CallExpr *Call) {
  if (Call->getDirectCallee()->isInStdNamespace())
    return; // std::move() and the like: a name for their argument
  llvm::StringRef Name = Call->getDirectCallee()->getName();
  const unsigned Last = Call->getNumArgs() - 1;
  for (const ArgumentAccess &Of : builtinAccesses(*Call, Unit.context())) {
    if (Of.Argument > Last)
      continue;
    const Expr *Pointer = Call->getArg(Of.Argument);
    bool Block = Name.contains("mem") && Last == 2;
    uint32_t Size = Block ? constantLength(Call->getArg(Last)) : 0;
    ValueId Address = firstMember(Values.rvalue(Pointer), Pointer, Size);
    accessAt(Address, Of.Kind, Call->getExprLoc(), Of.Qualifiers, Size);
  }
  if (const Expr *Stored = syncStored(*Call))
    Stores.store(Values.rvalue(Call->getArg(0)), Stored);
}

void BodyExtractor::visitCall(const CallExpr *Call) {
  if (visitCopy(Call))
    return;
  SeenInBlock.clear();
  const FunctionDecl *Callee = enteredFunction(Call);
  // A virtual function may be entered by this call, and by others.
  if (Callee || !Call->getDirectCallee())
    Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
  if (Callee && Callee->getBuiltinID() && !makesOrFrees(*Callee))
    return visitBuiltin(Call);
  addSlabCache(Unit, Call);
  CallFact &Fact = Rows.Calls[callIndex(Call)];
  Fact.Block = Rows.Block;
  Fact.Order = Rows.Order++;
}

void BodyExtractor::visitAsm(const GCCAsmStmt *Asm) {
  for (const AsmOperand &Of : asmOperands(*Asm)) {
    const VarDecl *Var = namedLocal(Of.Operand);
    if (Of.Pointer)
      accessAt(Var ? Values.before(Var, Asm) : Values.rvalue(Of.Operand),
               Of.Kind, Asm->getAsmLoc(), QualAssumed, 0);
    else if (!Var || !Var->getType()->isScalarType())
      access(Of.Operand, Of.Kind, Asm->getAsmLoc());
  }
  Stores.storeByAsm(Asm);
  SeenInBlock.clear();
}

void BodyExtractor::visitDeclaration(const DeclStmt *Decls) {
  for (const Decl *D : Decls->decls())
    if (const auto *Var = dyn_cast<VarDecl>(D)) {
      if (Var->isStaticLocal())
        Unit.Statics.push_back(Var);
      if (Var->hasLocalStorage() && Var->getInit() &&
          Var->getType()->getBaseElementTypeUnsafe()->isRecordType())
        Stores.initialise(Values.object(Var), Var->getInit());
    }
}

void BodyExtractor::visitReturn(const ReturnStmt *Return) {
  const Expr *Value = Return->getRetValue();
  if (!Value || (!Value->isGLValue() && !Value->getType()->isScalarType()))
    return;
  ValueId Id =
      Value->isGLValue() ? Values.address(Value) : Values.rvalue(Value);
  ValueKind Kind = Values[Id].Kind;
  if (Kind == ValueKind::Unknown || Kind == ValueKind::Const)
    return;
  if (!llvm::is_contained(Rows.Returns, Id))
    Rows.Returns.push_back(Id);
}

void BodyExtractor::visit(const Stmt *Statement) {
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Statement))
    return visitCast(Cast);
  if (const auto *Binary = dyn_cast<BinaryOperator>(Statement))
    return visitBinary(Binary);
  if (const auto *Unary = dyn_cast<UnaryOperator>(Statement)) {
    if (!Unary->isIncrementDecrementOp())
      return;
    if (const VarDecl *Var = namedLocal(Unary->getSubExpr()))
      if (Var->getType()->isScalarType())
        return;
    return access(Unary->getSubExpr(), AccessForm::ReadWrite,
                  Unary->getOperatorLoc());
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Statement)) {
    if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl()))
      Mentions.push_back({Ref, Fn});
    return;
  }
  if (const auto *Call = dyn_cast<CallExpr>(Statement))
    return visitCall(Call);
  if (visitCxx(Statement))
    return;
  if (const auto *Asm = dyn_cast<GCCAsmStmt>(Statement))
    return visitAsm(Asm);
  if (const auto *Decls = dyn_cast<DeclStmt>(Statement))
    return visitDeclaration(Decls);
  if (const auto *Return = dyn_cast<ReturnStmt>(Statement))
    return visitReturn(Return);
  if (const auto *Atomic = dyn_cast<AtomicExpr>(Statement)) {
    accessAt(Values.rvalue(Atomic->getPtr()), atomicAccess(*Atomic),
             Atomic->getExprLoc(), QualAtomic, 0);
    if (const Expr *Stored = atomicStored(*Atomic))
      Stores.store(Values.rvalue(Atomic->getPtr()), Stored);
  }
}

/// The argument of __builtin_constant_p() is looked at and not evaluated, but
/// is in the graph.
void BodyExtractor::findUnevaluated(const Stmt *Statement) {
  for (const Stmt *Part : Statement->children())
    if (Part) {
      Unevaluated.insert(Part);
      findUnevaluated(Part);
    }
}

void BodyExtractor::run() {
  findHomes();
  for (const CFGBlock *Node : Graph)
    for (const CFGElement &Element : *Node)
      if (auto Statement = Element.getAs<CFGStmt>())
        if (const auto *Call = dyn_cast<CallExpr>(Statement->getStmt()))
          if (Call->getBuiltinCallee() == Builtin::BI__builtin_constant_p)
            findUnevaluated(Call);
  // Blocks are numbered from the exit; the entry has the highest number.
  for (auto It = Graph.rbegin(); It != Graph.rend(); ++It) {
    const CFGBlock *Node = *It;
    Rows.Block = Values.Block = Node->getBlockID();
    if (Flow.Blocks[Rows.Block].Frequency <= 0)
      continue;
    SeenInBlock.clear();
    for (const CFGElement &Element : *Node)
      if (auto Statement = Element.getAs<CFGStmt>()) {
        if (!Unevaluated.contains(Statement->getStmt()))
          visit(Statement->getStmt());
      } else {
        visitElement(Element);
      }
    if (auto Test = branchTest(*Node, Values, Unit.context()))
      Rows.Tests.push_back(*Test);
  }
  Rows.append(Unit, Function, Values, Flow);
  mentionVirtuals();
  addMentions();
}

/// A mention that is no call takes the function's address.
void BodyExtractor::addMentions() {
  for (const auto &[Ref, Fn] : Mentions)
    if (!Callees.contains(Ref) && !Fn->getBuiltinID())
      Unit.Facts.Tables.push_back({None, 0, Unit.functionKey(Fn)});
}

namespace {

/// A body without a graph: its members are dropped. What it calls is entered
/// as from outside, since how often it does so is not known.
void dropBody(FactsBuilder &Unit, const Stmt *Part,
              llvm::SmallVectorImpl<const FunctionDecl *> &Mentioned) {
  if (!Part || isa<UnaryExprOrTypeTraitExpr>(Part))
    return;
  if (const auto *Made = dyn_cast<CXXConstructExpr>(Part))
    Mentioned.push_back(Made->getConstructor());
  if (const auto *Member = dyn_cast<MemberExpr>(Part))
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl())) {
      Unit.Facts.Tables.push_back({None, 0, Unit.functionKey(Method)});
      Mentioned.push_back(Method);
    }
  if (const auto *Member = dyn_cast<MemberExpr>(Part))
    if (const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl())) {
      auto [File, Line] = Unit.place(Member->getMemberLoc());
      Unit.Facts.Drops.push_back({Unit.member(Field).Record, File, Line});
    }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Part))
    if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl());
        Fn && !Fn->getBuiltinID()) {
      Unit.Facts.Tables.push_back({None, 0, Unit.functionKey(Fn)});
      Mentioned.push_back(Fn);
    }
  for (const Stmt *Child : Part->children())
    dropBody(Unit, Child, Mentioned);
}

} // namespace

llvm::SmallVector<const FunctionDecl *, 16>
extractFunction(FactsBuilder &Unit, const FunctionDecl *Function) {
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  Options.PruneTriviallyFalseEdges = true;
  Options.AddEHEdges = false;
  Options.AddImplicitDtors = true; // and the attribute cleanup
  if (Unit.context().getLangOpts().CPlusPlus) {
    Options.AddInitializers = true;
    Options.AddCXXDefaultInitExprInCtors = true;
  }
  std::unique_ptr<CFG> Graph =
      CFG::buildCFG(Function, Function->getBody(), &Unit.context(), Options);
  llvm::SmallVector<const FunctionDecl *, 16> Mentioned;
  if (!Graph) {
    dropBody(Unit, Function->getBody(), Mentioned);
    return Mentioned;
  }
  BodyExtractor Extractor(Unit, Function, *Graph);
  Extractor.run();
  for (const auto &[Ref, Fn] : Extractor.Mentions)
    Mentioned.push_back(Fn);
  Mentioned.append(Extractor.Entered.begin(), Extractor.Entered.end());
  return Mentioned;
}

} // namespace kst
