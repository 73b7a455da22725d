// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code of a kernel must not be counted, and by what a reference to
// counters is known. The pass has its own copy of the first (it refuses such
// functions); this one is kept apart from it on purpose, so that a mistake
// there is found here.

#ifndef KST_PASSES_VERIFY_RULES_H
#define KST_PASSES_VERIFY_RULES_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kst {

/// Why code in a section of this name must not refer to counters, in a few
/// words ("noinstr"); nothing if it may.
///   .noinstr.text*       entry state or RCU not set up
///   (include/linux/compiler_types.h) .entry.text*         kernel GS base or
///   stack not yet valid .cpuidle.text*       RCU is not watching .head.text
///   runs from the identity mapping, before relocation .init.text* before
///   per-CPU areas exist; freed after boot .text..__x86.*       thunks: no
///   register or flag is theirs to change
std::optional<llvm::StringRef> forbiddenSection(llvm::StringRef Name);

/// Why a file of a kernel build, by its path, is not part of the running
/// kernel's image and must not refer to counters at all; nothing if it is.
/// vDSO, purgatory, boot and decompressor, real-mode trampoline, EFI stub.
std::optional<llvm::StringRef> forbiddenFile(llvm::StringRef Path);

enum class Reference {
  Counter, ///< the section of counters
  Runtime, ///< a symbol of the runtime: __kst_*
  Table,   ///< units or objects
};

/// What a section, by name, is to the runtime; nothing for all others.
std::optional<Reference> sectionReference(llvm::StringRef Name);

/// The same for a symbol's name.
std::optional<Reference> symbolReference(llvm::StringRef Name);

/// "counter", "runtime", "table".
llvm::StringRef spell(Reference What);

} // namespace kst

#endif
