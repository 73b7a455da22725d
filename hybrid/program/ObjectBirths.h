// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the objects that a function deals with come from: fresh from an
// allocator, from a pool of the running CPU, from the caller, or found where
// others find them as well. docs/design/phases.md.

#pragma once

#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/program/Earlier.h"
#include "hybrid/program/LifeState.h"
#include "hybrid/program/ValueTranslator.h"

#include <map>
#include <vector>

namespace kst {

/// A place in a function: Block relative to it, Order as in AccessFact.
struct CodePoint {
  uint32_t Block, Order;
  bool operator==(const CodePoint &) const = default;
};

enum class Birth { Shared, Pool, Fresh, Param };

/// The objects of one function. Summaries of its callees must be done where
/// they can be.
class ObjectBirths {
public:
  ObjectBirths(const Program &Whole, const CodeFrequencies &Code,
               FunctionId Function, LinkValues &Pool, ValueTranslator &Values,
               const Earlier<LifetimeSummary> &Summaries);

  /// The object that the address lies in.
  LinkId root(LinkId Value) const;
  /// A local variable that others set through its address.
  bool isSetByAddress(LinkId Value) const;
  /// Whether the way from its root to the value goes through container_of().
  bool isContainer(LinkId Value) const;
  /// Where the pointer lies that leads to this per-CPU allocation, or None.
  LinkId perCpuPart(LinkId Value) const;

  Birth birth(LinkId Root);
  /// What a variable may stand for, or the function may return, error codes
  /// left out.
  std::vector<LinkId> objects(Range Values);
  /// What all of these are, Except left out.
  Birth common(const std::vector<LinkId> &Roots, LinkId Except);

  /// After <= order of a birth of the object < Before.
  bool bornBetween(LinkId Root, uint32_t Block, uint32_t After,
                   uint32_t Before);
  /// Whether the way into the block begins another iteration of the loop in
  /// which the object changes.
  bool renews(LinkId Root, uint32_t Block) const;

  /// Whether the call sets what argument Arg points to to a fresh object.
  bool makes(const CallFact &Call, uint32_t Arg) const;

private:
  Birth birthOf(LinkId Root);
  Birth birthOfCall(const CallFact &Call) const;
  Birth birthByAddress(LinkId Variable);
  bool isPooled(LinkId Value) const;
  const std::vector<CodePoint> &births(LinkId Root);
  bool isHeader(uint32_t Block, uint32_t Loop) const;

  const Program &Whole;
  const CodeFrequencies &Code;
  FunctionId Function;
  LinkValues &Pool;
  ValueTranslator &Values;
  const Earlier<LifetimeSummary> Summaries;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  std::map<LinkId, Birth> Births;
  std::map<LinkId, std::vector<CodePoint>> BirthPoints;
};

} // namespace kst
