// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines of a function that was edited: where the text stands now that was
// measured elsewhere.

#pragma once

#include "hybrid/evidence/LinePlaces.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace kst {

/// A number from 1 to 4096 for the text of a line, blanks left out: FNV-1a of
/// 64 bits, folded to 12.
uint16_t anchorOf(std::string_view Line);

/// Moves lines to where their text is. Text: of the analysed function from the
/// line of its name on. What has an anchor goes to the nearest line with that
/// text, at most 40 lines from where the one before it leads, in order; what
/// finds none is left out. What has none moves with the one before it.
void followText(std::vector<LineRuns> &Ran,
                std::span<const std::string_view> Text);

/// The text of a file, by its name under the source root; empty: there is none.
using SourceText = std::function<std::string_view(const std::string &File)>;

/// The lines of files.
class SourceLines {
public:
  explicit SourceLines(SourceText Of) : Of(std::move(Of)) {}
  /// From this line on, counted from 1; none without the file.
  std::span<const std::string_view> from(const std::string &File,
                                         uint32_t Line);

private:
  SourceText Of;
  std::map<std::string, std::vector<std::string_view>> Files;
};

} // namespace kst
