// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which bodies a unit can do without is decided header by header, but depends
// on headers that come later. So all that the unit might include is looked at
// before it is parsed.

#pragma once

#include "analyzer/facts/HeaderIndex.h"

namespace kst {

struct ExtractRequest;

struct IncludedFiles {
  std::vector<std::string> Sources; ///< the main file, and sources it includes
  std::vector<const HeaderIndex::Text *> Headers;
};

/// What the unit's source leads to by its includes, whatever their conditions
/// say. Reads from the disk directly: a file that is missed here costs time,
/// and one too many is no dependency of the facts.
IncludedFiles walkIncludes(const ExtractRequest &Request, HeaderIndex &Index);

} // namespace kst
