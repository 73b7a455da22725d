// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/ConstantBranches.h"

using namespace clang;

namespace kst {

static bool endsInBreak(const Stmt *S) {
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return !Block->body_empty() && endsInBreak(Block->body_back());
  return isa<BreakStmt, ReturnStmt>(S);
}

void forEachBranch(const IfStmt *If, const OffsetReader &Offsets,
                   BranchVisitor Visit) {
  int64_t Value;
  // `if consteval` has no condition, and either branch may run.
  bool Known = If->getCond() && Offsets.evaluate(If->getCond(), Value);
  Visit(If->getThen(), Known && !Value);
  if (If->getElse())
    Visit(If->getElse(), Known && Value);
}

/// `switch (sizeof(x)) { case 4: *(u32 *)&x; break; case 8: ... }`: of a
/// constant one case is alive, and what it falls through to.
void forEachBranch(const SwitchStmt *Switch, const OffsetReader &Offsets,
                   BranchVisitor Visit) {
  int64_t Value;
  const auto *Body = dyn_cast<CompoundStmt>(Switch->getBody());
  if (!Body || !Offsets.evaluate(Switch->getCond(), Value))
    return Visit(Switch->getBody(), false);
  bool Alive = false, Matched = false;
  for (const Stmt *S : Body->body()) {
    const Stmt *Inner = S;
    while (const auto *Label = dyn_cast<SwitchCase>(Inner)) {
      int64_t Low = 0;
      const auto *Case = dyn_cast<CaseStmt>(Label);
      Alive |= Case ? Offsets.evaluate(Case->getLHS(), Low) &&
                          (Low == Value || Case->getRHS())
                    : !Matched;
      Matched |= Alive;
      Inner = Label->getSubStmt();
    }
    Visit(S, !Alive);
    if (endsInBreak(Inner))
      Alive = false;
  }
}

} // namespace kst
