// SPDX-License-Identifier: GPL-2.0-or-later
//
// Layouts as they were, in a small file that can be kept with the source: one
// line for each field, so that a diff of two such files reads well.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/core/Result.h"
#include "hybrid/core/ToolId.h"

#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// A struct in one configuration.
struct BaselineStruct {
  std::string Config, Triple;
  uint32_t LineBytes = 64;
  /// Cycles a visit, when it was written: they explain, and decide nothing, as
  /// other code has other visits.
  double Cost = 0, Lines = 0, Sharing = 0;
  RecordInfo Record; ///< without anonymous structs' braces
};

struct LayoutBaseline {
  ToolId Tool;
  std::vector<BaselineStruct> Structs; ///< by name, file, configuration
};

/// schema/kst-baseline-1.schema.json. Ends with a newline.
std::string toJson(const LayoutBaseline &B);

/// Fails for what is not such a file, or one of another version: with what it
/// is and where.
Result<LayoutBaseline> readBaseline(std::string_view Text);

} // namespace kst
