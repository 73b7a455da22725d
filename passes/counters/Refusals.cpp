// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Refusals.h"

#include "passes/counters/Compat.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace kst::counters;

Error kst::counters::checkTarget(const Module &M, const Options &O) {
  Triple T = targetTriple(M);
  if (!O.Kernel || T.isX86())
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "target=kernel counts on x86-64 only, not for '" +
                               T.str() + "'");
}

static bool wholeUnit(const Module &M, const Options &O) {
  if (!O.Kernel || !O.Rules)
    return false;
  // The vDSO, the EFI stub, early boot code and purgatory run where there is
  // no per-CPU area: they are position-independent or of another code model.
  return targetTriple(M).getArch() != Triple::x86_64 ||
         M.getCodeModel() != CodeModel::Kernel ||
         M.getPICLevel() != PICLevel::NotPIC;
}

Refusals::Refusals(const Module &M, const Options &O)
    : O(O), WholeUnit(wholeUnit(M, O)) {
  // __attribute__((annotate("no_kst")))
  const GlobalVariable *All = M.getGlobalVariable("llvm.global.annotations");
  auto *List = All && All->hasInitializer()
                   ? dyn_cast<ConstantArray>(All->getInitializer())
                   : nullptr;
  if (!List)
    return;
  for (const Use &U : List->operands()) {
    auto *Entry = dyn_cast<ConstantStruct>(U);
    if (!Entry || Entry->getNumOperands() < 2)
      continue;
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    auto *Text =
        dyn_cast<GlobalVariable>(Entry->getOperand(1)->stripPointerCasts());
    auto *Data = Text && Text->hasInitializer()
                     ? dyn_cast<ConstantDataSequential>(Text->getInitializer())
                     : nullptr;
    if (F && Data && Data->isCString() && Data->getAsCString() == "no_kst")
      OptedOut.insert(F);
  }
}

bool Refusals::function(const Function &F) const {
  if (F.hasFnAttribute(Attribute::Naked))
    return true;
  if (!O.Rules)
    return false;
  if (WholeUnit || OptedOut.contains(&F) ||
      F.hasFnAttribute(Attribute::NoProfile))
    return true;
  if (!O.Kernel)
    return false;
  StringRef Section = F.getSection();
  for (StringRef Prefix :
       {".noinstr.text", ".entry.text", ".cpuidle.text", ".head.text"})
    if (Section.starts_with(Prefix))
      return true;
  return false;
}
