// SPDX-License-Identifier: GPL-2.0-or-later
//
// One layout problem solved: the order, what it costs, how good it can be at
// best, and what the baselines cost, as JSON.

#pragma once

#include "hybrid/core/Result.h"
#include "test/kst-dev/Instance.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kst {

struct SolveOptions {
  /// Elementary steps of the search; unset: the layout stage's own default.
  std::optional<uint64_t> Steps;
  uint64_t Seed = 1;
  bool Baselines = true;
  /// The frontier, and what truncating the proposal would give instead.
  bool Frontier = false;
  /// Report CPU seconds: the one member that differs from run to run.
  bool Times = true;
};

/// One line of JSON, "kst-layout/1" (docs/guide/formats.md). A Failure if
/// our offset rules do not give the offsets that the instance states.
Result<std::string> solve(const Instance &Problem, const SolveOptions &Options);

} // namespace kst
