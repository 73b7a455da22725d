// SPDX-License-Identifier: GPL-2.0-or-later
//
// What analysed code, and the kind of file that defines it, demand of the
// order of a record's fields.

#pragma once

#include "hybrid/core/SourceRule.h"
#include "hybrid/program/CommonStart.h"
#include "hybrid/program/PointerGraph.h"
#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// What the rules for all records of a program rest on, found once. Borrows.
class RuleBasis {
public:
  explicit RuleBasis(const Program &Whole);

  const Program &Whole;
  const PointerGraph Pointers;
  const RecordStarts Starts;

  struct Demand {
    uint32_t Unit;
    const DemandFact *Fact;
  };
  const std::vector<Demand> &demandsOn(RecordId Id) const {
    return Demands[Id];
  }

private:
  std::vector<std::vector<Demand>> Demands; ///< by record
};

/// The rules for one record: one hard AllFixed; or a soft AllFixed, if there is
/// one, immovable fields by ascending field, at most one for each, with the
/// reason that is hardest to move around and the first place (by file, line,
/// function) that gives it, and the places that are closed for new fields.
/// Members of no size and flexible arrays need no immovable field: nothing
/// crosses them anyway. Knows only code that was analysed; the order of the
/// units does not matter.
std::vector<SourceRule> sourceRules(const RuleBasis &Basis, RecordId Id);
std::vector<SourceRule> sourceRules(const Program &Whole, RecordId Id);

} // namespace kst
