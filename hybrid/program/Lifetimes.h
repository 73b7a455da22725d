// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which part of an object's life an access belongs to: before others can find
// the object, while they can, or when it is about to be freed. Told by the flow
// of a function and by summaries of its callees:
//  - an object is *fresh* where it comes from an allocator, or from a function
//    that returns such an object on all ways that return one;
//  - it is *published* where its address is stored in memory that is not fresh
//    itself, or given to a function that does so;
//  - it is *dying* where nearly all ways on lead to a function that frees it.
// docs/design/phases.md has the rules and their limits.

#pragma once

#include "hybrid/program/ObjectEvents.h"
#include "hybrid/program/PassedStates.h"

#include <vector>

namespace kst {

/// One function. Summaries of its callees must be done where they can be.
class FunctionLifetimes {
public:
  FunctionLifetimes(const Program &Whole, const CodeFrequencies &Code,
                    FunctionId Function, LinkValues &Pool,
                    ValueTranslator &Values,
                    const Earlier<LifetimeSummary> &Summaries);

  LifeState stateAt(LinkId Instance, uint32_t Block, uint32_t Order);
  LifetimeSummary summary();
  /// Arguments that are objects, and functions that will be called with some.
  std::vector<PassedObject> passed();

private:
  /// OnTheWay: objects that hang on this one and are being asked about; that it
  /// hangs on one of them tells nothing new.
  LifeState privacy(LinkId Root, CodePoint At,
                    std::vector<LinkId> OnTheWay = {});
  std::vector<LinkId> holders(LinkId Root, CodePoint At);
  bool makes(LinkId Param);
  bool isFreed(LinkId Param);

  const Program &Whole;
  const CodeFrequencies &Code;
  FunctionId Function;
  LinkValues &Pool;
  ValueTranslator &Values;
  ObjectBirths Births;
  ObjectEvents Events;
  const TuFacts &Facts;
  const FunctionFact &Fact;
};

} // namespace kst
