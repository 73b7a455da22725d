// SPDX-License-Identifier: GPL-2.0-or-later
//
// A linked kernel: its relocations are gone, but the instructions say where
// they count.

#ifndef KST_PASSES_VERIFY_CHECKIMAGE_H
#define KST_PASSES_VERIFY_CHECKIMAGE_H

#include "passes/verify/CheckObject.h"

namespace kst {

/// Disassembles the code of a linked x86-64 kernel (vmlinux) and looks at the
/// constant part of every address: one inside a symbol of the runtime or
/// counters is a reference. Forbidden code is known by the symbols that the
/// kernel's linker script puts around it; .head.text is what lies before
/// _stext.
///
/// Weaker than the check of vmlinux.o: counters are known by their symbols
/// alone, and code behind bytes that are no instruction is skipped to the
/// next symbol. An error if the image has no symbols that would let it tell.
llvm::Expected<ObjectResult> checkImage(const ElfObject &Object,
                                        llvm::StringRef Name);

} // namespace kst

#endif
