// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which words some C file of a tree has.

#ifndef KST_HYBRID_PIPELINE_WORDSEARCH_H
#define KST_HYBRID_PIPELINE_WORDSEARCH_H

#include <set>
#include <string>
#include <vector>

namespace kst {

/// Of `Words`, identifiers that a file of forEachSource() below one of the
/// directories has, comments included.
std::set<std::string> wordsInFiles(const std::vector<std::string> &Directories,
                                   const std::set<std::string> &Words);

} // namespace kst

#endif
