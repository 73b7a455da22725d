// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whatever was recorded, as a profile.

#ifndef KST_HYBRID_PIPELINE_PROFILEIMPORT_H
#define KST_HYBRID_PIPELINE_PROFILEIMPORT_H

#include "hybrid/pipeline/Errors.h"
#include "hybrid/profile/Profile.h"

#include <string>
#include <vector>

namespace kst {

enum class Recording {
  Auto,
  Counters,
  PerfScript,
  AccessLog,
  SampleProfile,
  LineCoverage
};

struct ImportRequest {
  std::vector<std::string> Files;
  std::vector<std::string> Binaries; ///< of the program; none: as Files say
  std::string Label;                 ///< of the workload, if not empty
  Recording Form = Recording::Auto;  ///< Auto: by content
  DiagnosticConsumer Diags;
};

/// The sum of all Files. The error names the file that cannot be used, or what
/// keeps two from being added; what was left out of a file is noted.
llvm::Expected<Profile> importProfile(const ImportRequest &Asked);

} // namespace kst

#endif
