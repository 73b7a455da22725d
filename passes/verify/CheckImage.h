// SPDX-License-Identifier: GPL-2.0-or-later
//
// A linked kernel: its relocations are gone, but the instructions say where
// they count.

#pragma once

#include "passes/verify/CheckObject.h"

namespace kst {

/// Disassembles the code of a linked x86-64 kernel (vmlinux) and looks at the
/// constant part of every address: one inside a symbol of the runtime or
/// counters is a reference. Forbidden code is known by the symbols that the
/// kernel's linker script puts around it; .head.text has none.
///
/// Weaker than the check of vmlinux.o: not all rules, counters known by their
/// symbols alone, and what follows bytes that are no instruction may be
/// misread. An error if the image has no symbols that would let it tell.
llvm::Expected<ObjectResult> checkImage(const ElfObject &Object,
                                        llvm::StringRef Name);

} // namespace kst
