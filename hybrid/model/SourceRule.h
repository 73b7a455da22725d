// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the source demands of the order of fields beyond the ABI: code that
// clears a range of members, a member that others cast to, a macro that makes
// several members, a line of the definition that no editor should cross. The
// front end finds such rules, the layout stage obeys them.

#ifndef KST_HYBRID_MODEL_SOURCERULE_H
#define KST_HYBRID_MODEL_SOURCERULE_H

#include "hybrid/model/CoAccessSet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

enum class RuleKind {
  Fence,   ///< Fields[0] stays, and no field crosses it
  Barrier, ///< no field crosses the place just before Fields[0] (an index one
           ///< past the last field: the end)
  Join,    ///< Fields, adjacent and ascending, move as one unit
  AllFixed ///< nothing may move; Fields is empty
};

struct SourceRule {
  RuleKind Kind = RuleKind::Fence;
  std::vector<uint32_t> Fields; ///< indices into RecordInfo::Fields
  std::string Why;              ///< a phrase for the report
  Site Where;                   ///< where the source demands it; may be empty
};

} // namespace kst

#endif
