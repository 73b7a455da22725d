// SPDX-License-Identifier: GPL-2.0-or-later
//
// --fail-on: which findings make a command fail.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/findings/Finding.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kst {

class FailOn {
public:
  /// Words are grades ("medium": that and worse), kinds out of `Kinds`, and
  /// kinds with what is allowed: "cost+5%" a share, "line-more+1" a number.
  /// `lines` is line-more.
  static Result<FailOn> parse(const std::vector<std::string> &Words,
                              std::span<const FindingKind> Kinds);

  bool matches(const Finding &F) const;
  bool matches(const FindingList &List) const;
  /// The least amount allowed of this kind; none if no word names an amount.
  std::optional<double> allowed(FindingKind Kind) const;

private:
  struct Word {
    std::optional<Grade> From;
    std::optional<FindingKind> Kind;
    double Allowed = -1; ///< less than 0: none
  };
  std::vector<Word> Words;
};

} // namespace kst
