// SPDX-License-Identifier: GPL-2.0-or-later
//
// One object file held against the rules: what in it refers to counters, from
// where, and whether it may.

#pragma once

#include "passes/verify/ElfObject.h"
#include "passes/verify/Rules.h"

#include <set>
#include <string>

namespace kst {

/// One forbidden reference, in words that need no object at hand.
struct Finding {
  std::string Object;   ///< path; for a member of an archive, archive(member)
  std::string Section;  ///< where it comes from; "" if the whole file is meant
  std::string Function; ///< the symbol before the place; "" if none
  uint64_t Offset = 0;  ///< from Function, else from the section, in bytes
  Reference What = Reference::Counter;
  std::string Target; ///< what it refers to, with an offset
  std::string Rule;   ///< "noinstr", "vdso", ...
};

/// What one file holds. Findings in the order of sections and relocations;
/// counts are of references, one per relocation or instruction.
struct ObjectResult {
  std::vector<Finding> Findings;
  uint64_t CountedReferences = 0; ///< counters or trace calls, where allowed
  uint64_t RuntimeReferences = 0; ///< others to the runtime, where allowed
  std::set<std::string> CountedFunctions; ///< those that hold the former
};

/// An object file that becomes part of the kernel or a module: code in
/// forbidden sections must not refer to counters. `Name` is for the findings.
ObjectResult checkKernelObject(const ElfObject &Object, llvm::StringRef Name);

/// A file that must not refer to them at all, for the reason `Rule`: neither
/// by relocation nor by symbol nor with sections of its own.
ObjectResult checkForbiddenObject(const ElfObject &Object, llvm::StringRef Name,
                                  llvm::StringRef Rule);

} // namespace kst
