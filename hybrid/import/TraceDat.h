// SPDX-License-Identifier: GPL-2.0-or-later
//
// trace.dat, the recordings of trace-cmd, versions 6 and 7
// (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)).

#pragma once

#include "hybrid/import/KernelRecord.h"

#include <memory>

namespace kst {

/// Whether the file begins as a trace.dat.
bool looksLikeTraceDat(std::string_view Bytes);

/// Bytes live as long as the recording. A Failure if the header cannot be read,
/// or no buffer is found: trace-cmd writes where they are last (version 7). Of
/// a file of version 6 the buffer of the top instance is read. A walk holds a
/// page for each CPU, or a chunk of those that were compressed together.
Result<std::unique_ptr<KernelRecording>> openTraceDat(std::string_view Bytes);

} // namespace kst
