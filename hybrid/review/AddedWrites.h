// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where code of the head writes a field and code of the base did not: by counts
// over all functions of the units that changed, so that a function which was
// renamed, moved or reordered adds nothing.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Evidence.h"
#include "hybrid/facts/Facts.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// A place in the source that writes a field in the head and not in the base.
struct AddedWrite {
  std::string Field;
  Site Where;
};

/// By the name of the struct. The same units in both, in any order. Fields
/// whose address a function gets that may write through it count as written.
std::map<std::string, std::vector<AddedWrite>>
addedWrites(const std::vector<const TuFacts *> &Base,
            const std::vector<const TuFacts *> &Head);

/// The evidence without what these places do: what it was before the change,
/// everything else being as in the head.
AffinityEvidence withoutWrites(AffinityEvidence Evidence,
                               const std::vector<AddedWrite> &Added);

} // namespace kst
