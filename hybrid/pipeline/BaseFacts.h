// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a review needs to know of the base: its records, and where it did not
// write yet.

#ifndef KST_HYBRID_PIPELINE_BASEFACTS_H
#define KST_HYBRID_PIPELINE_BASEFACTS_H

#include "hybrid/pipeline/ChangedUnits.h"
#include "hybrid/pipeline/Configs.h"
#include "hybrid/review/AddedWrites.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kst {

/// In one configuration. Not copyable: Records refers to Units.
struct BaseFacts {
  std::vector<TuFacts> Units;       ///< declarations only
  std::unique_ptr<Program> Records; ///< those that may differ from the head's
  /// Writes of the head that the base has not, by the name of the struct.
  std::map<std::string, std::vector<AddedWrite>> Added;
};

/// `Head`: the facts of the configuration with the change. Units that cannot be
/// parsed are left out, with a sentence in `Notes`.
llvm::Expected<BaseFacts> collectBase(const UnitsRequest &Asked,
                                      const ChangedCode &Change,
                                      const ChangedUnits &Changed,
                                      const Config &Head,
                                      std::vector<std::string> &Notes);

} // namespace kst

#endif
