// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blob of docs/guide/formats.md (".kst_table"): what the linker carries
// beside the code and nobody loads.

#pragma once

#include "passes/counters/Site.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst::counters {

struct Blob {
  std::string Bytes; ///< a multiple of 8
  uint64_t Hash = 0; ///< names it
};

/// Equal tables give equal bytes.
Blob makeBlob(const SiteTable &Table, const std::vector<Region> &Regions,
              uint32_t Counters);

/// What the first half of the plugin says, as the segments to the second half:
/// makeBlob() with a region for each, without terms. Bytes are believed.
SiteTable readBlob(llvm::StringRef Bytes);

/// Assembly that puts the blob into its section.
std::string blobAsm(const Blob &B);

} // namespace kst::counters
