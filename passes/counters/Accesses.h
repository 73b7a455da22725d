// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds every access to the selected structs in the code that the front end
// emitted, before anything optimises it.

#pragma once

#include "passes/counters/Options.h"
#include "passes/counters/Site.h"
#include "passes/counters/StructTypes.h"

#include "llvm/IR/Module.h"

namespace kst::counters {

/// One access of one site, where it stands. An instruction can be several:
/// memcpy, or a pointer into several selected structs.
struct Access {
  llvm::Instruction *Where;
  uint32_t Site;
  llvm::Value *Pointer; ///< what is accessed, or null: does not matter
  /// Where the array begins that it is in; null: in none, or does not matter.
  llvm::Value *Place = nullptr;
  /// No access besides, but a place to tell the runtime that an object of the
  /// site's struct is at Pointer less the site's offset.
  bool Learns = false;
};

/// All accesses of a function in the order of its code, sites entered into
/// the table. The entry of the function is not among them.
using FunctionAccesses = std::vector<Access>;

/// Pairs in the order of the module; functions without accesses are left out.
/// Deterministic.
std::vector<std::pair<llvm::Function *, FunctionAccesses>>
findAccesses(llvm::Module &M, const Options &O, SiteTable &Table);

/// A site of that function at that place: file, line and column filled in.
/// Without debug information: the main file, line 0.
Site siteAt(const llvm::Function &F, const llvm::Instruction *Where,
            SiteTable &Table);

} // namespace kst::counters
