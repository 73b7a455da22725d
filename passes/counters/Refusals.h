// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where code must not be counted. docs/guide/measuring.md gives the reasons.

#pragma once

#include "passes/counters/Options.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

namespace kst::counters {

class Refusals {
public:
  Refusals(const llvm::Module &M, const Options &O);
  /// No function of this unit is counted.
  bool unit() const { return WholeUnit; }
  bool function(const llvm::Function &F) const;

private:
  const Options &O;
  bool WholeUnit;
  llvm::SmallPtrSet<const llvm::Function *, 8> OptedOut;
};

/// Counting in kernel mode knows x86-64 only; code for other processors is an
/// error, code for its 16- and 32-bit modes is refused.
llvm::Error checkTarget(const llvm::Module &M, const Options &O);

} // namespace kst::counters
