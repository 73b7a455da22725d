// SPDX-License-Identifier: GPL-2.0-or-later
//
// The recorder's settings for a built kernel: where it keeps what the recorder
// reads, out of symbols and debug information.

#ifndef KST_PASSES_RECORDER_KERNELSETTINGS_H
#define KST_PASSES_RECORDER_KERNELSETTINGS_H

#include "passes/readers/KernelImage.h"
#include "passes/recorder/Settings.h"

#include "llvm/Support/Error.h"

namespace kst {

struct KernelSettings {
  RecorderSettings Settings; ///< without memory, filters and windows
  /// Trace events that the kernel is to be told to switch on, as `trace_event=`
  /// takes them.
  std::string TraceEvents;
  /// What cannot be recorded of this kernel, and why.
  std::vector<std::string> Missing;
};

/// An error if the kernel cannot be recorded at all: not for x86-64, no
/// per-CPU areas. Lives, slabs and contexts that it cannot tell are Missing.
llvm::Expected<KernelSettings> kernelSettings(const KernelImage &Image);

} // namespace kst

#endif
