// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the recorder left of a kernel's run, as a trace: sites get their place
// in the source, allocators and variables their types.

#ifndef KST_HYBRID_PIPELINE_RECORDEDKERNEL_H
#define KST_HYBRID_PIPELINE_RECORDEDKERNEL_H

#include "hybrid/pipeline/Traces.h"

#include <map>

namespace kst {

/// Files in the directory of a recording, beside those of the plugin
/// (passes/recorder/Recorder.h).
inline constexpr const char *RecordingAbout = "about"; ///< KEY=VALUE lines

/// Whether the directory is a recording.
bool looksLikeRecording(const std::string &Directory);

struct ImportedRecording {
  std::string InWords;   ///< how much it holds, and what was left out
  uint64_t Accesses = 0; ///< events of accesses
};

/// The recording as a trace. `Vmlinux`: the kernel that ran; empty: as the
/// recording says. A recorder that was killed leaves the last events of each
/// CPU behind; the answer and the texts of the trace say so.
llvm::Expected<ImportedRecording> importRecording(const std::string &Directory,
                                                  std::string Vmlinux,
                                                  const std::string &Label,
                                                  const ByteSink &Sink);

} // namespace kst

#endif
