// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `valgrind --tool=lackey --trace-mem=yes` prints.

#pragma once

#include "hybrid/cache/CacheModel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kst {

/// One line of it.
struct LackeyLine {
  enum Sort {
    Nothing, ///< a message of valgrind
    Fetch,   ///< ` I` of an instruction: Reference.Kind is Load
    Data,
    Turn ///< `C 1`, not lackey's: Reference.Cpu does what follows
  } What = Nothing;
  MemoryReference Reference{0, 0, 0, AccessKind::Load};
};

/// Fails, with what was expected, on a line that is none of these.
llvm::Expected<LackeyLine> lackeyLine(llvm::StringRef Line);

} // namespace kst
