// SPDX-License-Identifier: GPL-2.0-or-later
//
// The structs of a selection that its code uses.

#ifndef KST_HYBRID_PIPELINE_USEDSTRUCTS_H
#define KST_HYBRID_PIPELINE_USEDSTRUCTS_H

#include "hybrid/pipeline/Configs.h"

#include <set>
#include <string>

namespace kst {

/// Structs with at least two fields.
struct UsedStructs {
  std::set<std::string> Names; ///< some function names them; as --struct does
  uint32_t Defined = 0, Unused = 0;
};

UsedStructs usedStructs(const Configs &All);

} // namespace kst

#endif
