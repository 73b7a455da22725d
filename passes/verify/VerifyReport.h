// SPDX-License-Identifier: GPL-2.0-or-later
//
// What people and programs read about a check.

#pragma once

#include "passes/verify/CheckFile.h"

#include <string>
#include <utility>
#include <vector>

namespace kst {

/// The files in the order in which they were checked, and what was in them.
using VerifyResults = std::vector<std::pair<Input, ObjectResult>>;

enum class Verdict {
  Clean,
  Findings,
  NothingInstrumented, ///< no counted code: a clean result would say nothing
};

Verdict verdict(const VerifyResults &Results);

/// One line per finding, then one with the totals.
std::string verifyText(const VerifyResults &Results);

/// The same as JSON, "kst-verify/1"; ends with a newline.
std::string verifyJson(const VerifyResults &Results);

} // namespace kst
