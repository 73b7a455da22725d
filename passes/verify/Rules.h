// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code of a kernel must not be counted, and by what a reference to
// counters is known. The pass has its own copy of the first (it refuses such
// functions); this one is kept apart from it on purpose, so that a usageError
// there is found here.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kst {

/// Why code in a section of this name must not refer to counters, in a few
/// words ("noinstr"); nothing if it may.
///   .noinstr.text*   entry state or RCU is not set up (compiler_types.h)
///   .entry.text*     %gs or the stack is not the kernel's yet
///   .cpuidle.text*   RCU is not watching
///   .head.text       runs from the identity mapping, before relocation
///   .text..__x86.*   thunks: no register or flag is theirs to change
std::optional<llvm::StringRef> forbiddenSection(llvm::StringRef Name);

/// Why a file of a kernel build, by its path, must not refer to counters at
/// all; nothing if it may. Either it is no part of the running kernel: vDSO,
/// purgatory, boot and decompressor, real-mode trampoline, EFI stub; or it runs
/// where %gs is not valid ("early": from the identity mapping or before it is
/// set up, as in head64.c; "kexec" and "resume": between two kernels, or two
/// lives of one). The rest of .init.text may count: %gs is set before it runs.
std::optional<llvm::StringRef> forbiddenFile(llvm::StringRef Path);

/// Whether a directory of this rule also holds code of the kernel: then the
/// members of its built-in.a are not meant.
bool sharedDirectory(llvm::StringRef Rule);

/// What the pass calls the counters of a unit (a local symbol), and the
/// runtime's entry for events: a reference to either is counted code.
inline constexpr llvm::StringLiteral CountersSymbol = "__kst_counts";
inline constexpr llvm::StringLiteral TraceFunction = "__kst_trace";

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
