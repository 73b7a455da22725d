// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of one function until its body has been walked.

#pragma once

#include "analyzer/facts/ValueBuilder.h"

namespace kst {

struct FunctionRows {
  unsigned Block = 0; ///< that is walked
  uint32_t Order = 0; ///< of the next access, call or store
  std::vector<AccessFact> Accesses;
  std::vector<CallFact> Calls;
  std::vector<std::vector<uint32_t>> CallArgs;
  std::vector<StoreFact> Stores;
  std::vector<TestFact> Tests;
  std::vector<uint32_t> Returns;

  /// Adds the function with these rows and its values to the facts of the unit.
  void append(FactsBuilder &Unit, const clang::FunctionDecl *Function,
              ValueBuilder &Values, const FlowEstimate &Flow);
};

} // namespace kst
