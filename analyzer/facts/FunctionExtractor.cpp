// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FunctionExtractor.h"

#include "analyzer/facts/AsmOperands.h"
#include "analyzer/facts/BlockFrequency.h"
#include "analyzer/facts/FunctionTraits.h"
#include "analyzer/facts/LibraryCalls.h"
#include "analyzer/facts/LocalDefinitions.h"
#include "analyzer/facts/ValueBuilder.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace kst {

namespace {

class FunctionExtractor {
public:
  FunctionExtractor(FactsBuilder &Unit, const FunctionDecl *Function,
                    const CFG &Graph)
      : Unit(Unit), Function(Function), Graph(Graph), Locals(Graph),
        Flow(estimateFlow(Graph, Unit.context())),
        Values(Unit, Function, Locals, Flow) {
    Values.CallIndex = [this](const CallExpr *E) { return callIndex(E); };
  }

  void run();
  llvm::SmallVector<std::pair<const Expr *, const FunctionDecl *>, 16> Mentions;

private:
  void visit(const Stmt *Statement);
  void visitCast(const ImplicitCastExpr *Cast);
  void visitBinary(const BinaryOperator *Binary);
  void visitCall(const CallExpr *Call);
  void visitBuiltin(const CallExpr *Call);
  void visitAsm(const GCCAsmStmt *Asm);
  void storeByAsm(const GCCAsmStmt *Asm);
  void visitDeclaration(const DeclStmt *Decls);
  void visitInitialiser(ValueId Object, const Expr *Init);
  void visitReturn(const ReturnStmt *Return);

  void access(const Expr *Lvalue, AccessKind Kind, SourceLocation Where,
              uint32_t Qualifiers = 0);
  void accessAt(ValueId Address, AccessKind Kind, SourceLocation Where,
                uint32_t Qualifiers, uint32_t SizeBytes);
  void store(ValueId Address, const Expr *Stored);
  void storePointers(ValueId To, const Expr *From);
  uint32_t constantLength(const Expr *Length) const;
  ValueId firstMember(ValueId Address, const Expr *Pointer, uint32_t SizeBytes);
  void findUnevaluated(const Stmt *Statement);
  void addStore(ValueId Address, ValueId Stored);
  uint32_t callIndex(const CallExpr *Call);
  bool isOwnMemory(ValueId Address) const;
  bool repeatsRead(const AccessFact &Access);
  void finish();

  FactsBuilder &Unit;
  const FunctionDecl *Function;
  const CFG &Graph;
  LocalDefinitions Locals;
  FlowEstimate Flow;
  ValueBuilder Values;
  unsigned Block = 0;
  uint32_t Order = 0; ///< of the next access, call or store
  std::vector<AccessFact> Accesses;
  std::vector<CallFact> Calls;
  std::vector<std::vector<uint32_t>> CallArgs;
  std::vector<StoreFact> Stores;
  std::vector<uint32_t> Returns;
  llvm::DenseMap<const CallExpr *, uint32_t> CallIndices;
  llvm::DenseMap<ValueId, unsigned> SeenInBlock; ///< 1 read, 2 written
  llvm::SmallPtrSet<const Expr *, 32> Callees;   ///< mentions that are calls
  llvm::SmallPtrSet<const Stmt *, 16> Unevaluated;
};

uint32_t FunctionExtractor::callIndex(const CallExpr *Call) {
  auto [It, New] = CallIndices.try_emplace(Call, Calls.size());
  uint32_t Index = It->second;
  if (!New)
    return Index;
  Calls.emplace_back();
  CallArgs.emplace_back();
  CallFact Fact;
  Fact.Block = Block;
  std::tie(Fact.File, Fact.Line) = Unit.place(Call->getExprLoc());
  if (const FunctionDecl *Callee = Call->getDirectCallee()) {
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
  for (const Expr *Arg : Call->arguments()) {
    QualType Type = Arg->getType();
    if (Type->isPointerType() && Args.size() < 32) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      Fact.PointerArgs |= 1u << Args.size();
      if (Type->getPointeeType().isConstQualified() ||
          (Callee && isPrinted(*Callee, Args.size())))
        Fact.ConstArgs |= 1u << Args.size();
    }
    Args.push_back(Type->isScalarType() ? Values.rvalue(Arg) : None);
  }
  Calls[Index] = Fact;
  CallArgs[Index] = std::move(Args);
  return Index;
}

/// Stack memory of this call: no other instance, nothing to lay out.
bool FunctionExtractor::isOwnMemory(ValueId Address) const {
  return Values[Values.root(Address)].Kind == ValueKind::Object;
}

/// The compiler keeps a plain value it has just read or written in a register
/// until the end of the block or a call: the second read costs nothing.
bool FunctionExtractor::repeatsRead(const AccessFact &Access) {
  unsigned &Seen = SeenInBlock[Access.Address];
  bool Repeats = Access.Kind == AccessKind::Read && Seen &&
                 !(Access.Qualifiers & (QualOnce | QualAtomic));
  Seen |= Access.Kind == AccessKind::Read ? 1 : 2;
  return Repeats;
}

void FunctionExtractor::accessAt(ValueId Address, AccessKind Kind,
                                 SourceLocation Where, uint32_t Qualifiers,
                                 uint32_t SizeBytes) {
  if (isOwnMemory(Address))
    return;
  const ValueFact &Value = Values[Address];
  if (Value.Kind == ValueKind::Unknown || Value.Kind == ValueKind::Const)
    return;
  AccessFact Fact;
  Fact.Address = Address;
  Fact.Kind = Kind;
  Fact.Qualifiers = Qualifiers;
  Fact.Block = Block;
  Fact.SizeBytes = SizeBytes;
  if (repeatsRead(Fact))
    return;
  Fact.Order = Order++;
  std::tie(Fact.File, Fact.Line) = Unit.place(Where);
  Accesses.push_back(Fact);
}

void FunctionExtractor::access(const Expr *Lvalue, AccessKind Kind,
                               SourceLocation Where, uint32_t Qualifiers) {
  QualType Type = Lvalue->getType();
  if (Type.isVolatileQualified())
    Qualifiers |= QualOnce;
  bool Bulk = Type->isRecordType() || Type->isArrayType();
  if (Bulk && Kind == AccessKind::Read)
    Kind = AccessKind::BulkRead;
  if (Bulk && Kind == AccessKind::Write)
    Kind = AccessKind::BulkWrite;
  uint32_t Size = Type->isIncompleteType()
                      ? 0
                      : Unit.context().getTypeSizeInChars(Type).getQuantity();
  ValueId Address = Values.address(Lvalue);
  accessAt(Address, Kind, Where, Qualifiers, Size);
}

void FunctionExtractor::store(ValueId Address, const Expr *Stored) {
  if (!Stored->getType()->isScalarType())
    return;
  bool Pointer = Stored->getType()->isPointerType();
  if (!Pointer && !isOwnMemory(Address))
    return;
  addStore(Address, Values.rvalue(Stored));
}

void FunctionExtractor::addStore(ValueId Address, ValueId Value) {
  ValueKind Kind = Values[Value].Kind;
  if (Kind == ValueKind::Unknown || Kind == ValueKind::Const)
    return;
  Stores.push_back({Address, Value, Block, Order++});
  const ValueFact &Place = Values[Address];
  if (Kind == ValueKind::Function && Place.Kind == ValueKind::Field)
    Unit.Facts.Tables.push_back({Place.B, Place.C, Values[Value].A});
}

void FunctionExtractor::visitCast(const ImplicitCastExpr *Cast) {
  if (Cast->getCastKind() != CK_LValueToRValue)
    return;
  const Expr *Lvalue = Cast->getSubExpr();
  if (const VarDecl *Var = namedLocal(Lvalue))
    if (Var->getType()->isScalarType())
      return;
  access(Lvalue, AccessKind::Read, Cast->getExprLoc());
}

void FunctionExtractor::visitBinary(const BinaryOperator *Binary) {
  if (!Binary->isAssignmentOp())
    return;
  const Expr *Left = Binary->getLHS();
  if (const VarDecl *Var = namedLocal(Left))
    if (Var->getType()->isScalarType())
      return;
  bool Plain = Binary->getOpcode() == BO_Assign;
  access(Left, Plain ? AccessKind::Write : AccessKind::ReadWrite,
         Binary->getOperatorLoc());
  if (Plain && Left->getType()->isRecordType())
    storePointers(Values.address(Left), Binary->getRHS());
  else if (Plain)
    store(Values.address(Left), Binary->getRHS());
}

/// A record as a whole: the pointers in it, as far as an initialiser or a local
/// variable tells what they are.
void FunctionExtractor::storePointers(ValueId To, const Expr *From) {
  From = From->IgnoreParenCasts();
  if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(From))
    return visitInitialiser(To, Literal->getInitializer());
  const VarDecl *Var = namedLocal(From);
  const auto *Rec = From->getType()->getAs<RecordType>();
  if (!Var || !Rec || !Var->hasLocalStorage() || isa<ParmVarDecl>(Var))
    return;
  for (const FieldDecl *Member : Rec->getDecl()->getDefinition()->fields())
    if (Member->getType()->isPointerType())
      addStore(Values.field(To, Member),
               Values.loadFrom(Values.field(Values.object(Var), Member)));
}

/// The length of a block of memory, 0 when it is not constant. Follows local
/// variables that are set once, as checks around memcpy() have them.
uint32_t FunctionExtractor::constantLength(const Expr *Length) const {
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
        Local->Definitions[0].How != Definition::Assigned)
      return 0;
    Length = Local->Definitions[0].Value;
  }
  return 0;
}

/// Less than a whole record, from its start: of its first member on.
ValueId FunctionExtractor::firstMember(ValueId Address, const Expr *Pointer,
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

void FunctionExtractor::visitBuiltin(const CallExpr *Call) {
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
    store(Values.rvalue(Call->getArg(0)), Stored);
}

void FunctionExtractor::visitCall(const CallExpr *Call) {
  SeenInBlock.clear();
  Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
  if (const FunctionDecl *Callee = Call->getDirectCallee())
    if (Callee->getBuiltinID() && !makesOrFrees(*Callee))
      return visitBuiltin(Call);
  CallFact &Fact = Calls[callIndex(Call)];
  Fact.Block = Block;
  Fact.Order = Order++;
}

void FunctionExtractor::visitAsm(const GCCAsmStmt *Asm) {
  for (const AsmOperand &Of : asmOperands(*Asm)) {
    const VarDecl *Var = namedLocal(Of.Operand);
    if (Of.Pointer)
      accessAt(Var ? Values.before(Var, Asm) : Values.rvalue(Of.Operand),
               Of.Kind, Asm->getAsmLoc(), QualAssumed, 0);
    else if (!Var || !Var->getType()->isScalarType())
      access(Of.Operand, Of.Kind, Asm->getAsmLoc());
  }
  storeByAsm(Asm);
  SeenInBlock.clear();
}

/// xchg() and cmpxchg(): a pointer in a register and a place in memory that is
/// written. An operand that matches another by its number is what was there.
void FunctionExtractor::storeByAsm(const GCCAsmStmt *Asm) {
  llvm::SmallVector<const Expr *, 4> Places, Pointers;
  for (unsigned I = 0, E = Asm->getNumOutputs(); I != E; ++I) {
    const Expr *Operand = Asm->getOutputExpr(I);
    if (Asm->getOutputConstraint(I).find_first_of("mQo") !=
        llvm::StringRef::npos)
      Places.push_back(Operand);
    else if (Asm->isOutputPlusConstraint(I) &&
             Operand->getType()->isPointerType())
      Pointers.push_back(Operand);
  }
  for (unsigned I = 0, E = Asm->getNumInputs(); I != E; ++I)
    if (Asm->getInputExpr(I)->getType()->isPointerType() &&
        Asm->getInputConstraint(I).find_first_of("mQo0123456789") ==
            llvm::StringRef::npos)
      Pointers.push_back(Asm->getInputExpr(I));
  for (const Expr *Place : Places)
    if (Place->isGLValue())
      for (const Expr *Pointer : Pointers)
        addStore(Values.address(Place), Pointer->isGLValue()
                                            ? Values.load(Pointer)
                                            : Values.rvalue(Pointer));
}

void FunctionExtractor::visitInitialiser(ValueId Object, const Expr *Init) {
  const auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens());
  if (!List)
    return;
  if (List->isSyntacticForm() && List->getSemanticForm())
    List = List->getSemanticForm();
  const auto *Rec = List->getType()->getAs<RecordType>();
  if (!Rec)
    return;
  const RecordDecl *Decl = Rec->getDecl()->getDefinition();
  unsigned I = 0;
  for (const FieldDecl *Field : Decl->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    const FieldDecl *Member = Field;
    if (Decl->isUnion()) {
      if (!List->getInitializedFieldInUnion())
        return;
      Member = List->getInitializedFieldInUnion();
    }
    if (I >= List->getNumInits())
      return;
    const Expr *Value = List->getInit(I++);
    ValueId Place = Values.field(Object, Member);
    if (!Value)
      continue;
    if (isa<InitListExpr>(Value))
      visitInitialiser(Place, Value);
    else if (!isa<ImplicitValueInitExpr>(Value))
      store(Place, Value);
    if (Decl->isUnion())
      return;
  }
}

void FunctionExtractor::visitDeclaration(const DeclStmt *Decls) {
  for (const Decl *D : Decls->decls())
    if (const auto *Var = dyn_cast<VarDecl>(D))
      if (Var->hasLocalStorage() && Var->getInit() &&
          Var->getType()->isRecordType())
        visitInitialiser(Values.object(Var), Var->getInit());
}

void FunctionExtractor::visitReturn(const ReturnStmt *Return) {
  const Expr *Value = Return->getRetValue();
  if (!Value || !Value->getType()->isScalarType())
    return;
  ValueId Id = Values.rvalue(Value);
  ValueKind Kind = Values[Id].Kind;
  if (Kind == ValueKind::Unknown || Kind == ValueKind::Const)
    return;
  if (!llvm::is_contained(Returns, Id))
    Returns.push_back(Id);
}

void FunctionExtractor::visit(const Stmt *Statement) {
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
    return access(Unary->getSubExpr(), AccessKind::ReadWrite,
                  Unary->getOperatorLoc());
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Statement)) {
    if (const auto *Fn = dyn_cast<FunctionDecl>(Ref->getDecl()))
      Mentions.push_back({Ref, Fn});
    return;
  }
  if (const auto *Call = dyn_cast<CallExpr>(Statement))
    return visitCall(Call);
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
      store(Values.rvalue(Atomic->getPtr()), Stored);
  }
}

/// The argument of __builtin_constant_p() is looked at and not evaluated, but
/// is in the graph.
void FunctionExtractor::findUnevaluated(const Stmt *Statement) {
  for (const Stmt *Part : Statement->children())
    if (Part) {
      Unevaluated.insert(Part);
      findUnevaluated(Part);
    }
}

void FunctionExtractor::run() {
  for (const CFGBlock *Node : Graph)
    for (const CFGElement &Element : *Node)
      if (auto Statement = Element.getAs<CFGStmt>())
        if (const auto *Call = dyn_cast<CallExpr>(Statement->getStmt()))
          if (Call->getBuiltinCallee() == Builtin::BI__builtin_constant_p)
            findUnevaluated(Call);
  // Blocks are numbered from the exit; the entry has the highest number.
  for (auto It = Graph.rbegin(); It != Graph.rend(); ++It) {
    const CFGBlock *Node = *It;
    Block = Node->getBlockID();
    if (Flow.Blocks[Block].Frequency <= 0)
      continue;
    SeenInBlock.clear();
    for (const CFGElement &Element : *Node)
      if (auto Statement = Element.getAs<CFGStmt>())
        if (!Unevaluated.contains(Statement->getStmt()))
          visit(Statement->getStmt());
  }
  finish();
}

template <typename T>
Range append(std::vector<T> &Table, const std::vector<T> &Rows) {
  Range Where{uint32_t(Table.size()), uint32_t(Table.size() + Rows.size())};
  Table.insert(Table.end(), Rows.begin(), Rows.end());
  return Where;
}

void FunctionExtractor::finish() {
  TuFacts &Facts = Unit.Facts;
  FunctionFact Fact;
  Fact.Key = Unit.functionKey(Function);
  Fact.Name = Unit.string(Function->getName());
  std::tie(Fact.File, Fact.Line) = Unit.place(Function->getLocation());
  Fact.Flags = functionFlags(Function);
  Fact.ParamCount = Function->getNumParams();

  std::vector<uint32_t> ParamRecords;
  for (const ParmVarDecl *Param : Function->parameters())
    ParamRecords.push_back(Param->getType()->isPointerType()
                               ? Unit.pointee(Param->getType())
                               : None);
  Fact.ParamRecords = append(Facts.ValueArgs, ParamRecords);
  Fact.Returns = append(Facts.ValueArgs, Returns);
  for (unsigned I = 0; I != Calls.size(); ++I)
    Calls[I].Args = append(Facts.ValueArgs, CallArgs[I]);
  uint32_t ArgBase = Facts.ValueArgs.size();
  append(Facts.ValueArgs, Values.Args);
  for (ValueFact &Value : Values.Values) {
    Value.Args.Begin += ArgBase;
    Value.Args.End += ArgBase;
  }
  Fact.Values = append(Facts.Values, Values.Values);
  Fact.Accesses = append(Facts.Accesses, Accesses);
  Fact.Calls = append(Facts.Calls, Calls);
  Fact.Stores = append(Facts.Stores, Stores);
  Fact.Blocks = append(Facts.Blocks, Flow.Blocks);
  Fact.Loops = append(Facts.Loops, Flow.Loops);
  Fact.Edges = append(Facts.Edges, Flow.Edges);
  Facts.Functions.push_back(Fact);

  // A mention that is no call takes the function's address.
  for (const auto &[Ref, Fn] : Mentions)
    if (!Callees.contains(Ref) && !Fn->getBuiltinID())
      Facts.Tables.push_back({None, 0, Unit.functionKey(Fn)});
}

/// A body without a graph: its members are dropped. What it calls is entered
/// as from outside, since how often it does so is not known.
void dropBody(FactsBuilder &Unit, const Stmt *Part,
              llvm::SmallVectorImpl<const FunctionDecl *> &Mentioned) {
  if (!Part || isa<UnaryExprOrTypeTraitExpr>(Part))
    return;
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
  std::unique_ptr<CFG> Graph =
      CFG::buildCFG(Function, Function->getBody(), &Unit.context(), Options);
  llvm::SmallVector<const FunctionDecl *, 16> Mentioned;
  if (!Graph) {
    dropBody(Unit, Function->getBody(), Mentioned);
    return Mentioned;
  }
  FunctionExtractor Extractor(Unit, Function, *Graph);
  Extractor.run();
  for (const auto &[Ref, Fn] : Extractor.Mentions)
    Mentioned.push_back(Fn);
  return Mentioned;
}

} // namespace kst
