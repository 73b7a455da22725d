// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long a cache line is for a configuration: what the kernel lays out for.

#ifndef KST_HYBRID_PIPELINE_LINESIZE_H
#define KST_HYBRID_PIPELINE_LINESIZE_H

#include "hybrid/pipeline/Configs.h"

namespace kst {

/// L1_CACHE_BYTES: of the kernel's configuration if it says it
/// (CONFIG_..._L1_CACHE_SHIFT), else of the architecture (arch/*/include/asm/
/// cache.h of Linux 6.12): 128 for 64-bit PowerPC, 256 for s390, else 64.
uint32_t lineBytesOf(const Config &In);

} // namespace kst

#endif
