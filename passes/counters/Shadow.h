// SPDX-License-Identifier: GPL-2.0-or-later
//
// Address mode in a kernel: inline code looks into the shadow of memory and
// calls the runtime where that is not 0; and where code accesses an object
// through the type of a selected struct, it tells the runtime of the object, so
// that allocated ones are known to later look-ups (passes/abi/kst_abi.h).

#pragma once

#include "passes/counters/AddressMode.h"
#include "passes/counters/Site.h"

#include "llvm/IR/Dominators.h"

namespace kst::counters {

/// An object of a struct, where it is known to be: it begins at Base + Offset.
struct TypeObservation {
  llvm::Instruction *Before;
  llvm::Value *Base;
  int64_t Offset;
  uint32_t Struct; ///< into SiteTable::Structs
};

/// Removes the markers of such places from F, and returns those that tell the
/// runtime something: no local variables, no globals, and no object that was
/// told of on the way there.
std::vector<TypeObservation>
observeTypes(llvm::Function &F, const SiteTable &Table,
             const llvm::DominatorTree &Dominators);

/// Code for both. The CFG of F changes. Count and Unit as in insertChecks().
void insertShadowChecks(llvm::Function &F, const std::vector<Check> &Checks,
                        bool Count, llvm::GlobalVariable *Unit);
void insertTypeObservations(
    llvm::Function &F, const std::vector<TypeObservation> &TypeObservations,
    const SiteTable &Table);

} // namespace kst::counters
