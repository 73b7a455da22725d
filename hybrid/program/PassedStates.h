// SPDX-License-Identifier: GPL-2.0-or-later
//
// In which part of their lives the objects are that a function is given: what
// all its callers pass, put together.

#pragma once

#include "hybrid/program/LifeState.h"
#include "hybrid/program/Program.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kst {

/// What callers pass: where a call is, and in which state its argument is.
struct PassedObject {
  FunctionId Callee = None;
  uint32_t Param = 0;
  LifeState State;
};

/// Per function and parameter: the state of what all seen callers pass.
class PassedStates {
public:
  PassedStates(const Program &Whole,
               const std::vector<std::vector<PassedObject>> &ByCaller);
  /// Of an object of LifeState::Params: what all of these are in.
  LifeState::Kind of(FunctionId Function, uint32_t Params) const {
    return of(Function, Params, {});
  }

private:
  using Passed = std::pair<FunctionId, uint32_t>; ///< function, parameter

  LifeState::Kind of(FunctionId Function, uint32_t Params,
                     const std::set<Passed> &Untold) const;
  void addCallbacks(const Program &Whole, const std::set<Passed> &Seen);

  std::map<Passed, LifeState::Kind> States;
};

} // namespace kst
