// SPDX-License-Identifier: GPL-2.0-or-later
//
// Recordings of real machines by trace-cmd and perf, as traces.

#ifndef KST_HYBRID_PIPELINE_KERNELEVENTS_H
#define KST_HYBRID_PIPELINE_KERNELEVENTS_H

#include "hybrid/pipeline/Traces.h"

namespace kst {

/// Whether the bytes begin a file of trace-cmd or perf.
bool looksLikeKernelEvents(std::string_view Bytes);

/// As importTrace(): of the bytes of Asked.File. With a binary, which is the
/// vmlinux that ran, sites and types get their names; without one caches have
/// them, and functions if the recording does.
llvm::Expected<std::string> importKernelEvents(const TraceImportRequest &Asked,
                                               std::string_view Bytes,
                                               const ByteSink &Sink);

} // namespace kst

#endif
