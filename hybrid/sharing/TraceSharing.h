// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sharing as a trace shows it.

#pragma once

#include "hybrid/core/GlobalVariable.h"
#include "hybrid/core/MemberName.h"
#include "hybrid/sharing/Findings.h"
#include "hybrid/trace/TraceReader.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// What addresses and places of a trace are called.
struct TraceNames {
  std::vector<GlobalVariable> Variables; ///< where they were, by address
  /// Of structs by name and size.
  std::map<std::pair<std::string, uint32_t>, MemberNames> Members;
  /// What the source accesses on that line through a pointer; "": not known.
  std::function<std::string(const std::string &File, uint32_t Line)> Pointer;
};

/// Reads the trace to its end. Objects that were allocated in the trace are
/// compared within themselves only. Memory grows with the different addresses
/// that each thread or CPU accesses. A failure if the trace is damaged.
Result<bool> addTraceSharing(SharingReport &To, TraceReader &Trace,
                             const TraceNames &Names, const Machine &On);

} // namespace kst
