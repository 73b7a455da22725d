// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the threads of a program share, from its source or from a trace.

#ifndef KST_HYBRID_PIPELINE_SHARING_H
#define KST_HYBRID_PIPELINE_SHARING_H

#include "hybrid/pipeline/Session.h"
#include "hybrid/sharing/Sharing.h"

namespace kst {

struct SharingRequest {
  AnalyzeRequest Source;
  bool HasSource = false; ///< paths were given
  std::string Trace;      ///< "": by source
  std::vector<std::string> Binaries;
  std::vector<std::string> Counts; ///< profiles of the program
  bool WithPatch = false; ///< of the remedies; needs source, and no trace
  bool Quiet = false;
};

struct SharingAnswer {
  SharingReport What;
  std::string Patch; ///< ""; nothing that helps can be written
  ExitCode Status = ExitDone;
};

llvm::Expected<SharingAnswer> findSharing(SharingRequest Asked);

} // namespace kst

#endif
