// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text above a diff: what a maintainer wants to know before reading it.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// Cacheline groups that the diff adds.
struct PatchGroups {
  std::vector<std::string> Names;
  /// Lines of C that check at compile time who is in which group.
  std::string Asserts;
};

/// What one struct adds to a patch.
struct PatchPart {
  const Report *Of = nullptr; ///< its verdict is Reorder
  /// Things in the header that a person should look at.
  std::vector<std::string> Notes;
  PatchGroups Groups;
};

/// Subject and body of a mail, plain text in lines of at most 75 columns where
/// names allow: of each struct what moves and why, lines touched on each path,
/// sizes and holes for each configuration and line size, where the figures come
/// from and what they are not, which rules were obeyed or lifted, and how many
/// units that see the definition were not looked at. Ends with "---" and, below
/// it, the notes and the assertions of groups with where to put them. No tag
/// speaks for anybody. At least one part. Same reports, same bytes.
std::string toPatchText(const std::vector<PatchPart> &Parts);

/// Where the assertions go and why they say nothing about sizes; one line of
/// text.
std::string assertAdvice();

} // namespace kst
