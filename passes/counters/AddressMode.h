// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses that types do not attribute: helpers that see only a pointer to an
// embedded struct or a scalar. After inlining, either the code around tells
// where the pointer comes from, or the address is looked up when it runs.

#pragma once

#include "passes/counters/Options.h"
#include "passes/counters/Site.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace kst::counters {

/// A look-up to be put into the code.
struct Check {
  llvm::Instruction *Before;
  llvm::Value *Pointer;
  bool Reads, Writes;
  uint32_t Site;
  /// Not 0: counted already as part of an object of this size; objects of that
  /// size are left alone.
  uint64_t PartBytes;
  uint64_t BulkBytes; ///< of memcpy and memset, 0: not known or no such
};

/// Goes through the markers that hold pointers. Those whose pointer is a member
/// of a known struct, by the address of a member that the same code takes or by
/// the type of a global, become markers of sites of that struct. Those that
/// can be in no object lose their pointer. The rest is returned if it is to be
/// looked up.
std::vector<Check> resolvePointers(llvm::Function &F, const Options &O,
                                   SiteTable &Table);

/// Programs: inline look-ups in __kst_pages. The CFG of F changes. No calls,
/// unless Unit is given: hits are then events of its trace. Count: hits are
/// counted. Kernels have insertShadowChecks().
void insertChecks(llvm::Function &F, const std::vector<Check> &Checks,
                  bool Count, llvm::GlobalVariable *Unit);

/// Objects of selected structs with static storage, for the runtime, and their
/// counts. True: there are some.
bool emitObjects(llvm::Module &M, const Options &O);

} // namespace kst::counters
