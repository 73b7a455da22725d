// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules say of pages of files, against the files that the page cache's own
// events say.

#pragma once

#include "hybrid/contexts/Attribution.h"

#include <functional>
#include <map>
#include <utility>

namespace kst {

/// Truth is by file, rules say contexts: a context is of the file that most of
/// its pages are of. That goes by pointers, since these are of the page itself.
class PageJudge {
public:
  /// So many pages of a file, numbered from 1.
  void pages(const OwnerGuess &Said, uint64_t File, uint64_t Number);

  struct Verdict {
    std::array<PageTruth, OwnerRules> Truth; ///< None: the best of the rules
    std::map<uint32_t, uint64_t> FileOf;     ///< by context
    uint64_t MixedContexts = 0;              ///< with pages of several files
  };
  /// Root: the context that one is part of by now, or itself.
  Verdict judge(const std::function<uint32_t(uint32_t)> &Root) const;

private:
  /// Pages by context and file.
  std::array<std::map<std::pair<uint32_t, uint64_t>, uint64_t>, OwnerRules>
      Said;
  uint64_t All = 0;
};

} // namespace kst
