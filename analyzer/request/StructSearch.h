// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which definition a --struct means, before the units are analysed: by the
// text of all files that the selection may read, and by the front end on the
// few units that lead to a definition.

#pragma once

#include "analyzer/request/IncludeGraph.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/facts/Facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kst {

struct FoundStruct {
  std::string Asked;
  /// The spelling by which the analysis finds it (see RecordSpelling): the tag
  /// where a typedef was asked for.
  std::string Name;
  /// As one unit sees it; none when no unit was found that sees it, which is
  /// for the whole analysis to settle.
  std::optional<RecordInfo> Record;
  /// Why it cannot be analysed, and what to say instead; empty: no usageError.
  std::string Mistake;
};

/// What each unit declares (declaredFacts()); nothing for one that fails.
using Prober = std::function<std::vector<std::optional<TuFacts>>(
    llvm::ArrayRef<uint32_t> Units)>;

/// Finds every struct, in the order asked for. `Complete`: every file of the
/// selection could be found, so that what none of them mentions is a
/// usageError. Calls Probe twice at most, for a few units of the graph; not for
/// a struct of TextSuffices (numbers in Asked) that one file alone defines, by
/// its text, by the name asked for: its Record stays empty.
std::vector<FoundStruct> findStructs(const IncludeGraph &Graph,
                                     llvm::ArrayRef<std::string> Asked,
                                     bool Complete, const Prober &Probe,
                                     const std::set<size_t> &TextSuffices = {});

/// "'x' is no struct but leads to struct 'y'; say --struct y"
std::string leadsToStruct(const std::string &Asked, const std::string &Tag);

/// "no definition of struct 'x' in a.h:12; there is:", for a list of what there
/// is, on a line each.
std::string notInPlace(const RecordSpelling &Asked);

} // namespace kst
