// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings for people, for programs, and for what shows them beside the lines
// of a diff.

#pragma once

#include "hybrid/core/ToolId.h"
#include "hybrid/findings/Finding.h"
#include "hybrid/report/Document.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace kst {

/// "a, b and 3 more" beyond the first Most.
std::string joined(const std::vector<std::string> &Words,
                   size_t Most = ~size_t(0));

/// Each with its sentences, and how many are suppressed or left out.
Section findingsSection(const FindingList &List);

nlohmann::ordered_json findingsJson(const FindingList &List);

/// The text of a report; ends with a newline.
std::string dumped(const nlohmann::ordered_json &All);

/// SARIF 2.1.0: one run, a rule for each of `Kinds`, which have all findings;
/// one result for each finding with its fingerprint. Files are relative to
/// %SRCROOT%. Ends with a newline.
std::string toSarif(const ToolId &Tool, const FindingList &List,
                    std::span<const FindingKind> Kinds);

} // namespace kst
