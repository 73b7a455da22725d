// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/BranchHeuristics.h"

#include "analyzer/facts/ClangCompat.h"
#include "analyzer/facts/ConditionHints.h"
#include "analyzer/facts/LoopTrips.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <optional>

using namespace clang;

namespace kst {

double combineEvidence(double A, double B) {
  return A * B / (A * B + (1 - A) * (1 - B));
}

namespace {

enum BlockTrait : uint8_t {
  ColdCall = 1,  ///< cold or noreturn call, trap, WARN
  ErrorExit = 2, ///< returns or sets an error and leaves
  Again = 4,     ///< goto that closes a goto loop
  Leaves = 8,    ///< return, continue, break, goto: may end a guard clause
  Spins = 16,    ///< cpu_relax()
  Sleeps = 32,   ///< schedule()
};

class BranchEstimator {
public:
  BranchEstimator(const CFG &Graph, const ASTContext &Context,
                  const LoopForest &Forest, const FlowOptions &Options)
      : Graph(Graph), Context(Context), Forest(Forest), Options(Options),
        Hints(Context, Options), Traits(Graph.getNumBlockIDs(), 0) {
    Estimate.assign(Forest.edges().size(), 1.0);
  }

  std::vector<double> run();

private:
  void scan(const CFGBlock *Block);
  void scanCall(const CallExpr *Call, uint8_t &Trait);
  void scanTerminator(const CFGBlock *Block, uint8_t &Trait);
  void noteLoops();
  void noteWarnings();
  std::vector<bool> cannotAvoid(uint8_t Trait) const;

  void decide(const CFGBlock *Block);
  double decideTwoWay(const CFGBlock *Block, llvm::ArrayRef<FlowEdge> Edges);
  bool isGuard(const FlowEdge &Edge) const;
  std::optional<double> loopEvidence(const FlowEdge &First,
                                     const FlowEdge &Second) const;
  void decideMany(llvm::ArrayRef<FlowEdge> Edges, double *Probability);
  double stay(const Stmt *Loop, const CFGBlock *Block);
  uint8_t traitsOfLoop(uint32_t Loop) const;

  const CFG &Graph;
  const ASTContext &Context;
  const LoopForest &Forest;
  const FlowOptions &Options;
  ConditionHints Hints;
  std::vector<const CFGBlock *> ById;
  std::vector<uint8_t> Traits;     ///< own traits, by block
  std::vector<uint8_t> LoopTraits; ///< union over own blocks, by loop
  std::vector<bool> MustCold, MustFail, MustRepeat; ///< by block
  std::vector<double> Estimate;                     ///< by edge
};

bool isNegativeConstant(const Expr *E) {
  const auto *Minus = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
  return Minus && Minus->getOpcode() == UO_Minus &&
         isa<IntegerLiteral>(Minus->getSubExpr()->IgnoreParenImpCasts());
}

/// `-E...`, or an error code as a pointer.
bool isErrorValue(const Expr *E) {
  return isNegativeConstant(E) ||
         isA(NameKind::ErrorPointer, calleeName(E->IgnoreParenCasts()));
}

/// A number below zero that is assigned is an error if the variable says so,
/// or if it is spelled as a macro, as -EINVAL is.
bool holdsError(const Expr *Variable, const Expr *Value) {
  const auto *Ref = dyn_cast<DeclRefExpr>(Variable->IgnoreParens());
  if (Ref && Ref->getDecl()->getIdentifier() &&
      isA(NameKind::ErrorVariable, Ref->getDecl()->getName()))
    return true;
  return Value->IgnoreParenCasts()->getEndLoc().isMacroID();
}

/// The instruction by which the kernel's BUG() and WARN() trap.
bool isTrap(const GCCAsmStmt *Asm) {
  return Asm->isVolatile() && isA(NameKind::Trap, asmText(*Asm));
}

void BranchEstimator::scanCall(const CallExpr *Call, uint8_t &Trait) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (!Callee)
    return;
  if (unsigned Builtin = Callee->getBuiltinID()) {
    if (Builtin == Builtin::BI__builtin_expect ||
        Builtin == Builtin::BI__builtin_expect_with_probability)
      Hints.addExpect(Call);
    else if (Builtin == Builtin::BI__builtin_unreachable ||
             Builtin == Builtin::BI__builtin_trap)
      Trait |= ColdCall;
    return;
  }
  if (Callee->hasAttr<ColdAttr>() || Callee->isNoReturn())
    Trait |= ColdCall;
  llvm::StringRef Name = calleeName(Call);
  if (isA(NameKind::Spin, Name))
    Trait |= Spins;
  else if (isA(NameKind::Sleep, Name))
    Trait |= Sleeps;
}

void BranchEstimator::scanTerminator(const CFGBlock *Block, uint8_t &Trait) {
  const Stmt *Terminator = Block->getTerminatorStmt();
  if (!Terminator)
    return;
  if (const auto *Goto = dyn_cast<GotoStmt>(Terminator)) {
    if (isA(NameKind::ErrorLabel, Goto->getLabel()->getName().lower()))
      Trait |= ErrorExit;
    Trait |= Leaves;
    for (const FlowEdge &Edge : Forest.outgoing(Block->getBlockID()))
      if (Edge.Back)
        Trait |= Again;
  } else if (isa<ContinueStmt, BreakStmt>(Terminator)) {
    Trait |= Leaves;
  }
}

void BranchEstimator::scan(const CFGBlock *Block) {
  uint8_t &Trait = Traits[Block->getBlockID()];
  bool Straight = Forest.outgoing(Block->getBlockID()).size() == 1;
  for (const CFGElement &Element : *Block) {
    auto Statement = Element.getAs<CFGStmt>();
    if (!Statement)
      continue;
    const Stmt *S = Statement->getStmt();
    switch (S->getStmtClass()) {
    case Stmt::CallExprClass:
      scanCall(cast<CallExpr>(S), Trait);
      break;
    case Stmt::GCCAsmStmtClass:
      if (isTrap(cast<GCCAsmStmt>(S)))
        Trait |= ColdCall;
      break;
    case Stmt::ReturnStmtClass:
      Trait |= Leaves;
      if (const Expr *Value = cast<ReturnStmt>(S)->getRetValue())
        if (isErrorValue(Value))
          Trait |= ErrorExit;
      break;
    case Stmt::BinaryOperatorClass: {
      // `ret = -EINVAL;` in a branch of its own, then to the way out.
      const auto *Assign = cast<BinaryOperator>(S);
      if (Assign->getOpcode() != BO_Assign)
        break;
      Hints.addAssignment(Assign);
      if (Straight && isErrorValue(Assign->getRHS()) &&
          holdsError(Assign->getLHS(), Assign->getRHS()))
        Trait |= ErrorExit;
      break;
    }
    default:
      break;
    }
  }
  scanTerminator(Block, Trait);
}

/// Blocks from which no way to the exit avoids Trait.
std::vector<bool> BranchEstimator::cannotAvoid(uint8_t Trait) const {
  std::vector<bool> Must(Traits.size(), false);
  bool Any = false;
  for (uint32_t Block : Forest.order())
    Any |= (Traits[Block] & Trait) != 0;
  if (!Any)
    return Must;
  auto Reach = [&](uint32_t From, auto Blocked) {
    std::vector<bool> Seen(Traits.size(), false);
    llvm::SmallVector<uint32_t, 32> Work;
    auto Add = [&](uint32_t Block) {
      if (!Seen[Block] && !Blocked(Block)) {
        Seen[Block] = true;
        Work.push_back(Block);
      }
    };
    Add(From);
    while (!Work.empty()) {
      uint32_t Block = Work.pop_back_val();
      for (uint32_t Edge : Forest.incoming(Block))
        Add(Forest.edges()[Edge].From);
    }
    return Seen;
  };
  uint32_t Start = Graph.getExit().getBlockID();
  auto Avoids = Reach(Start, [&](uint32_t B) { return Traits[B] & Trait; });
  // A loop without an end never gets to the exit, for better or worse.
  auto Ends = Reach(Start, [](uint32_t) { return false; });
  for (uint32_t Block : Forest.order())
    Must[Block] = (Traits[Block] & Trait) || (!Avoids[Block] && Ends[Block]);
  return Must;
}

uint8_t BranchEstimator::traitsOfLoop(uint32_t Loop) const {
  return Loop == ~0u ? 0 : LoopTraits[Loop];
}

/// Probability that a loop statement runs its body (once more).
double BranchEstimator::stay(const Stmt *Loop, const CFGBlock *Block) {
  const Expr *Condition = loopCondition(Loop);
  if (!Condition)
    return 1;
  if (isRetryCondition(Condition))
    return Options.Repeat;
  uint8_t Trait = traitsOfLoop(Forest.innermost(Block->getBlockID()));
  if (Trait & Spins)
    return Options.Repeat;
  double Trips = expectedTrips(Loop, Context, Options);
  // A `do` has run its body before it asks.
  return isa<DoStmt>(Loop) ? 1 - 1 / std::max(Trips, 1.0) : Trips / (Trips + 1);
}

void BranchEstimator::noteLoops() {
  LoopTraits.assign(Forest.loops().size(), 0);
  for (uint32_t Block : Forest.order())
    if (uint32_t Loop = Forest.innermost(Block); Loop != ~0u)
      LoopTraits[Loop] |= Traits[Block];
  for (const CFGBlock *Block : Graph) {
    const Stmt *Terminator = Block->getTerminatorStmt();
    const Expr *Condition = Terminator ? loopCondition(Terminator) : nullptr;
    if (Condition && isLogical(Condition))
      Hints.addLoop(Condition, stay(Terminator, Block));
  }
}

/// `if (unlikely(warned)) WARN`: whatever else depends on the variable, as
/// the value of WARN_ON() does, is as rare as the warning.
void BranchEstimator::noteWarnings() {
  for (uint32_t Id : Forest.order()) {
    llvm::ArrayRef<FlowEdge> Edges = Forest.outgoing(Id);
    if (Edges.size() == 2 && Traits[Edges[0].To] & ColdCall &&
        !MustCold[Edges[1].To])
      if (const Expr *Leaf = leafCondition(ById[Id]))
        Hints.addWarning(Leaf);
  }
}

/// What the loop around a branch says for First, if the other edge leaves it
/// or the other way round.
std::optional<double>
BranchEstimator::loopEvidence(const FlowEdge &First,
                              const FlowEdge &Second) const {
  uint32_t Loop = Forest.innermost(First.From);
  if (Loop == ~0u || Forest.loops()[Loop].Goto)
    return std::nullopt;
  bool FirstStays = Forest.contains(Loop, First.To);
  if (FirstStays == Forest.contains(Loop, Second.To))
    return std::nullopt;
  double Stay = 1 - Options.LoopExit;
  if (LoopTraits[Loop] & Spins)
    Stay = Options.Repeat;
  else if (LoopTraits[Loop] & Sleeps)
    Stay = Options.Sleep;
  return FirstStays ? Stay : 1 - Stay;
}

/// Edge enters a clause that leaves, and nothing but its condition leads
/// there: the common end of a function is no guard clause.
bool BranchEstimator::isGuard(const FlowEdge &Edge) const {
  if (!(Traits[Edge.To] & Leaves))
    return false;
  return llvm::all_of(Forest.incoming(Edge.To), [&](uint32_t Other) {
    uint32_t From = Forest.edges()[Other].From;
    const Stmt *Terminator = ById[From]->getTerminatorStmt();
    if (From == Edge.From || isa_and_nonnull<BinaryOperator>(Terminator))
      return true;
    const auto *If = dyn_cast_or_null<IfStmt>(Terminator);
    return If && isLogical(If->getCond());
  });
}

/// Probability of the first of two edges.
double BranchEstimator::decideTwoWay(const CFGBlock *Block,
                                     llvm::ArrayRef<FlowEdge> Edges) {
  const Stmt *Terminator = Block->getTerminatorStmt();
  uint32_t Then = Edges[0].To, Else = Edges[1].To;
  // What the two ways must run into: -1 neither or both, 0 first, 1 second.
  auto Side = [&](const std::vector<bool> &Must) {
    return Must[Then] == Must[Else] ? -1 : Must[Then] ? 0 : 1;
  };
  auto Against = [](int Side, double P) { return Side == 0 ? P : 1 - P; };
  int ColdSide = Side(MustCold);

  ConditionTruth Truth = Hints.ofBranch(Block);
  if (Truth.Strength == ConditionTruth::Annotated) {
    bool Agrees = ColdSide >= 0 && (Truth.Probability < 0.5) == (ColdSide == 0);
    return Agrees ? Against(ColdSide, Options.Cold) : Truth.Probability;
  }
  if (ColdSide >= 0)
    return Against(ColdSide, Options.Cold);
  if (int Round = Side(MustRepeat); Round >= 0)
    return Against(Round, Options.Repeat);
  if (const Expr *Condition = loopCondition(Terminator))
    return lastOperand(Condition, stay(Terminator, Block));

  auto InLoop = loopEvidence(Edges[0], Edges[1]);
  double P = combineEvidence(Truth.Probability, InLoop.value_or(0.5));
  if (int Fails = Side(MustFail); Fails >= 0)
    P = combineEvidence(P, Against(Fails, Options.Error));
  else if (!InLoop && isGuard(Edges[0]) != isGuard(Edges[1]))
    P = combineEvidence(P, Against(isGuard(Edges[0]) ? 0 : 1, Options.Guard));
  return P;
}

/// Switch, asm goto, computed goto: weights, then scaled to sum 1.
void BranchEstimator::decideMany(llvm::ArrayRef<FlowEdge> Edges,
                                 double *Probability) {
  const Stmt *Terminator = ById[Edges[0].From]->getTerminatorStmt();
  bool Asm = isa_and_nonnull<GCCAsmStmt>(Terminator);
  bool AllCold = true, AllFail = true;
  for (const FlowEdge &Edge : Edges) {
    AllCold &= MustCold[Edge.To];
    AllFail &= MustFail[Edge.To];
  }
  double Sum = 0;
  for (unsigned I = 0; I != Edges.size(); ++I) {
    double Weight = Asm && Edges[I].Slot ? Options.AsmGoto : 1;
    if (MustCold[Edges[I].To] && !AllCold)
      Weight = Options.Cold;
    else if (MustFail[Edges[I].To] && !AllFail)
      Weight = std::min(Weight, Options.Error);
    Sum += Probability[I] = Weight;
  }
  for (unsigned I = 0; I != Edges.size(); ++I)
    Probability[I] /= Sum;
}

void BranchEstimator::decide(const CFGBlock *Block) {
  uint32_t Id = Block->getBlockID();
  llvm::ArrayRef<FlowEdge> Edges = Forest.outgoing(Id);
  if (Edges.size() < 2)
    return;
  double *Probability = &Estimate[Forest.firstEdge(Id)];
  const Stmt *Terminator = Block->getTerminatorStmt();
  if (Edges.size() > 2 || !Terminator || isa<SwitchStmt>(Terminator) ||
      isa<GCCAsmStmt>(Terminator) || isa<IndirectGotoStmt>(Terminator))
    return decideMany(Edges, Probability);
  Probability[0] = decideTwoWay(Block, Edges);
  Probability[1] = 1 - Probability[0];
}

std::vector<double> BranchEstimator::run() {
  ById.assign(Graph.getNumBlockIDs(), nullptr);
  for (const CFGBlock *Block : Graph)
    ById[Block->getBlockID()] = Block;
  for (uint32_t Id : Forest.order())
    scan(ById[Id]);
  MustCold = cannotAvoid(ColdCall);
  MustFail = cannotAvoid(ErrorExit);
  MustRepeat = cannotAvoid(Again);
  noteLoops();
  noteWarnings();
  for (uint32_t Id : Forest.order())
    decide(ById[Id]);
  return std::move(Estimate);
}

} // namespace

std::vector<double> estimateBranches(const CFG &Graph,
                                     const ASTContext &Context,
                                     const LoopForest &Forest,
                                     const FlowOptions &Options) {
  return BranchEstimator(Graph, Context, Forest, Options).run();
}

} // namespace kst
