// SPDX-License-Identifier: GPL-2.0-or-later
//
// A function's values in the numbering of the program, and a callee's values
// as its caller sees them.

#pragma once

#include "hybrid/program/Earlier.h"
#include "hybrid/program/LinkValues.h"

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace kst {

/// What a function may return, if it is always the same expression of its
/// parameters; None otherwise. Indexed by FunctionId.
using ReturnValues = std::vector<LinkId>;

/// Translates for one function. `Returns`: a view of ReturnValues; the callees'
/// must be known where they can be, callees first.
class ValueTranslator {
public:
  ValueTranslator(const Program &Whole, FunctionId Function, LinkValues &Pool,
                  const Earlier<LinkId> &Returns);

  /// The function's own value; None stays None.
  LinkId translate(ValueId Local);
  /// Argument number Index of the call, or None.
  LinkId argument(const CallFact &Call, uint32_t Index);
  /// Of a call of this function.
  LinkId result(const CallFact &Call);
  /// A value of a callee, with its parameters replaced by the arguments of
  /// Call. What only the callee can name gives None.
  LinkId substitute(LinkId Value, const CallFact &Call,
                    std::unordered_map<LinkId, LinkId> &Memo);
  /// The expression that the function always returns, or None.
  LinkId returned();
  /// The values that the function's own text names.
  const std::set<LinkId> &named() const { return Named; }

private:
  LinkId compute(ValueId Local);
  LinkId computeCall(uint32_t Index);
  LinkId alternatives(ValueId Local, const ValueFact &Fact);
  LinkId loadFrom(LinkId Address);
  LinkId containerOf(LinkId Member, RecordId Record, uint32_t Number);
  LinkId bounded(LinkId Value);
  /// Something of which only this function knows that it follows from Value.
  LinkId unknown(LinkId Value);

  const Program &Whole;
  FunctionId Function;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  LinkValues &Pool;
  const Earlier<LinkId> Returns;
  std::vector<LinkId> Known;
  std::vector<bool> Active;
  std::map<LinkId, LinkId> Stored; ///< what this function's objects hold
  std::set<LinkId> Named;
};

} // namespace kst
