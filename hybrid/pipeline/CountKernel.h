// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often every function and line of a kernel that the user built ran, as a
// profile.

#ifndef KST_HYBRID_PIPELINE_COUNTKERNEL_H
#define KST_HYBRID_PIPELINE_COUNTKERNEL_H

#include "hybrid/pipeline/KernelGuest.h"
#include "hybrid/profile/Profile.h"

namespace kst {

struct CountRequest {
  KernelGuest Guest;
  std::string Window; ///< START:STOP, symbols or addresses; "": all of it
  std::string Label;  ///< of the workload
};

struct CountedKernel {
  Profile What;
  std::string InWords;      ///< how much it holds
  bool Interrupted = false; ///< the guest was ended before its time
};

/// Boots it as bootGuest() does, all CPUs in one thread. No result if nothing
/// of the window ran.
llvm::Expected<CountedKernel> countKernel(const CountRequest &Asked,
                                          const DiagnosticConsumer &Diags);

} // namespace kst

#endif
