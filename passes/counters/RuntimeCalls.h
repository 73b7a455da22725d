// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls into the runtime besides those for counters: events of a trace, and
// writing the profile before the program ends without notice.

#pragma once

#include "passes/counters/Site.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace kst::counters {

/// An access to be traced.
struct Event {
  llvm::Instruction *Before;
  llvm::Value *Pointer;
  uint32_t Site;
};

/// The events of a function whose markers are still there, in the order of its
/// code. Accesses to local variables have none: they have no pointer. Before an
/// access to an element stands an event of a site with PlaceOfArray, which is
/// added.
/// `ByAddress`: also accesses of which only the address is known, and starts
/// and joins of threads.
std::vector<Event> findEvents(llvm::Function &F, SiteTable &Table,
                              bool ByAddress);

/// Calls of __kst_trace.
void insertEvents(const std::vector<Event> &Events, llvm::GlobalVariable &Unit);

/// One such call.
void callTrace(llvm::Instruction &Before, llvm::Value *Pointer, uint32_t Site,
               llvm::GlobalVariable &Unit);

/// User space: __kst_rt_flush before exec*, _exit and _Exit. HasRuntime: the
/// unit needs the runtime anyway; else the call is made if it is there. True:
/// something changed.
bool insertFlushes(llvm::Module &M, bool HasRuntime);

} // namespace kst::counters
