// SPDX-License-Identifier: GPL-2.0-or-later
//
// The counters of one unit and the code that steps them: per CPU in a kernel,
// per thread in a program (passes/abi/kst_abi.h).

#pragma once

#include "passes/counters/Options.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <vector>

namespace kst::counters {

class Counters {
public:
  Counters(llvm::Module &M, bool Kernel);

  /// Lets the next Before.size() counters stand before these instructions of
  /// F; the number of the first. User space: F attaches before the first of
  /// them. The CFG of F changes. Promote: tight loops may count in registers.
  uint32_t count(llvm::Function &F, std::vector<llvm::Instruction *> Before,
                 llvm::FunctionAnalysisManager &FAM, bool Promote);
  uint32_t number() const { return Number; }

  /// Gives the counters their storage and the unit its name. Call once, last.
  void finish(uint64_t Hash, uint32_t Sites);
  /// The struct kst_unit of this module, made when first asked for.
  llvm::GlobalVariable *unit();

private:
  llvm::Module &M;
  const bool Kernel, X86, Executable;
  uint32_t Number = 0;
  llvm::GlobalVariable *Storage = nullptr; ///< stands in until finish()
  llvm::GlobalVariable *Unit = nullptr;
  llvm::DenseMap<llvm::AttributeSet, llvm::Function *> AttachFunctions;
  /// Others may still have them as places.
  llvm::SmallVector<llvm::WeakTrackingVH> Unused;

  llvm::Function *attachFunction(const llvm::Function &F);
  llvm::Value *block(llvm::IRBuilderBase &B, llvm::Value *Kept);
  void assembly(llvm::IRBuilderBase &B, llvm::StringRef Code,
                llvm::StringRef Look, llvm::Value *Address, llvm::Value *Amount,
                llvm::Function &F);
  void add(llvm::Instruction *Before, uint32_t Counter, llvm::Value *Kept,
           llvm::Value *Amount, bool Looks);
  void check(llvm::Instruction *Before, llvm::Value *Kept);
};

} // namespace kst::counters
