// SPDX-License-Identifier: GPL-2.0-or-later
//
// Cacheline groups of structs, checked, for people and for programs.

#pragma once

#include "hybrid/core/ToolId.h"
#include "hybrid/groups/GroupCheck.h"
#include "hybrid/report/Document.h"

#include <string>
#include <vector>

namespace kst {

/// Findings of `Structs` are taken out of them and merged here.
struct GroupReport : FindingList {
  ToolId Tool;
  uint32_t UnitsLooked = 0;
  std::vector<GroupedStruct> Structs;
  std::vector<std::string> Notes;
};

Document describe(const GroupReport &R);

/// schema/kst-groups-1.schema.json. Ends with a newline.
std::string toJson(const GroupReport &R);

/// As that of FindingForms.h.
std::string toSarif(const GroupReport &R);

} // namespace kst
