// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bytes of a trace file, for whoever opens readers of them.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace kst {

/// At most. Traces are mapped and walked, never held.
inline constexpr uint64_t MaxTraceBytes = uint64_t(256) << 30;

/// The file, mapped; a usageError if there is none, or no trace in it. Readers
/// of it may not outlive it.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
traceBytes(const std::string &File);

} // namespace kst
