// SPDX-License-Identifier: GPL-2.0-or-later
//
// --cache: which caches a model has.

#ifndef KST_TOOLS_SUPPORT_CACHEFLAG_H
#define KST_TOOLS_SUPPORT_CACHEFLAG_H

#include "hybrid/cache/CacheGeometry.h"
#include "tools/support/CommandLine.h"

namespace kst {

struct CacheFlag : Flag<std::string> {
  CacheFlag(cl::SubCommand &Command, cl::OptionHidden Hidden = cl::NotHidden)
      : Flag(
            {Command, OfAnalysis, "cache", "GEOMETRY",
             "Of the model: l1=32K/8,l2=1M/16,llc=16M/16 (default), or machine",
             Hidden}) {}

  /// With lines of `LineBytes` unless the option says otherwise; `machine`:
  /// what this one has.
  llvm::Expected<CacheGeometry> geometry(unsigned LineBytes = 64) const;
};

} // namespace kst

#endif
