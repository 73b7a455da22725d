// SPDX-License-Identifier: GPL-2.0-or-later
//
// --ignore: what a command does not want to hear of.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/findings/Finding.h"

#include <span>
#include <string>
#include <vector>

namespace kst {

class Ignored {
public:
  /// Words are kinds out of `Kinds`, STRUCT or STRUCT.FIELD.
  static Result<Ignored> parse(const std::vector<std::string> &Words,
                               std::span<const FindingKind> Kinds);

  /// Takes such findings out and counts them as suppressed. Returns the names
  /// of structs and fields that no finding had.
  std::vector<std::string> apply(FindingList &List) const;

private:
  std::vector<FindingKind> Kinds;
  std::vector<std::string> Names;
};

} // namespace kst
