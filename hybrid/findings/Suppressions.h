// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings that somebody has looked at and accepted, in a file: one in each
// line, as `KIND STRUCT[.FIELD...]` or by its fingerprint, and behind a '#' the
// reason. Not by lines of the source: these change.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/findings/Finding.h"

#include <string>
#include <vector>

namespace kst {

class Suppressions {
public:
  /// Fails for a line that is neither; `File` is for messages.
  static Result<Suppressions> parse(const std::string &Text,
                                    const std::string &File);

  /// Takes what they name out of the findings. The answer: one message for each
  /// line that names none.
  std::vector<std::string> apply(FindingList &Report) const;

private:
  struct Line {
    std::string Key; ///< as Finding::key(), or a fingerprint
    std::string Where;
  };
  std::vector<Line> Lines;
};

} // namespace kst
