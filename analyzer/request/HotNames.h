// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions that --hot names, looked for in the text of everything that
// the selection may read: a misspelt one is known before the analysis begins.

#pragma once

#include "analyzer/request/StructSearch.h"

#include <string>
#include <vector>

namespace kst {

enum class HotKind {
  Function,  ///< some file has a body of that name
  Elsewhere, ///< files know the name, but none shows a body of it
  Macro,     ///< a macro has that name, or makes functions of it
  Unknown,   ///< no file has the name
};

struct HotName {
  std::string Name;
  HotKind Kind = HotKind::Function;
  /// What it is instead of a function, and what to say; empty for a function.
  std::string Explanation;
  bool Near = false; ///< Unknown: there is a name of nearly the same letters
};

/// Looks for each name, in the order given. Conditions of the text are not
/// looked at, so a function may be missing after all. Calls Probe, at most
/// once, about functions that macros at file scope may make.
std::vector<HotName> findHotNames(const IncludeGraph &Graph,
                                  llvm::ArrayRef<std::string> Names,
                                  const Prober &Probe);

} // namespace kst
