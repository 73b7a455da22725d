// SPDX-License-Identifier: GPL-2.0-or-later
//
// A kernel that the user built, booted in QEMU with the recorder, as a trace.

#ifndef KST_HYBRID_PIPELINE_RECORDKERNEL_H
#define KST_HYBRID_PIPELINE_RECORDKERNEL_H

#include "hybrid/pipeline/KernelGuest.h"

#include <string>
#include <vector>

namespace kst {

struct RecordRequest {
  KernelGuest Guest;
  // What of it. Nothing named: all.
  std::vector<std::string> Types; ///< struct, cache, or kmalloc@FUNCTION
  std::vector<std::string>
      Pointers; ///< TYPE.MEMBER, or all: stores with values
  std::vector<std::string> Addresses; ///< BEGIN-END, or a variable
  std::vector<std::string> Contexts;  ///< task, softirq, hardirq, nmi, call
  std::string Window;                 ///< START:STOP, symbols or addresses
  std::string Sample;                 ///< N/M
  // Where to.
  std::string Label, Directory; ///< of the recording; made, must not be there
};

/// Boots it and waits until it powers off, time is up or SIGINT or SIGTERM
/// comes: then the guest is ended, and what was recorded is kept. The answer:
/// whether it was interrupted. Mistakes of the request come before anything is
/// started. Directory then holds a recording (RecordedKernel.h).
llvm::Expected<bool> recordKernel(const RecordRequest &Asked,
                                  const DiagnosticConsumer &Diags);

} // namespace kst

#endif
