// SPDX-License-Identifier: GPL-2.0-or-later
//
// What of a kernel is recorded, from names to addresses.

#ifndef KST_HYBRID_PIPELINE_RECORDFILTERS_H
#define KST_HYBRID_PIPELINE_RECORDFILTERS_H

#include "hybrid/pipeline/RecordKernel.h"
#include "passes/readers/KernelImage.h"
#include "passes/recorder/Settings.h"

namespace kst {

/// START:STOP as the addresses of two instructions; 0 and 0 for "".
llvm::Expected<AddressRange> windowOf(const std::string &Text,
                                      const KernelImage &Image);

/// Mistakes in a request that show without the kernel.
llvm::Error checkFilters(const RecordRequest &Asked);

/// The filters, the window, the sample and the pointers of a request. Names
/// that the kernel does not have are mistakes.
llvm::Error setFilters(const RecordRequest &Asked, const KernelImage &Image,
                       RecorderSettings &S);

} // namespace kst

#endif
