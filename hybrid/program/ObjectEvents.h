// SPDX-License-Identifier: GPL-2.0-or-later
//
// What happens in a function to the objects that it deals with: publication,
// attachment to another object and the end, and what of it lies before or
// behind a place. docs/design/phases.md.

#pragma once

#include "hybrid/program/ObjectBirths.h"

#include <map>
#include <tuple>
#include <vector>

namespace kst {

/// A place lies in the part of the life that ends when so much of what may
/// follow frees the object; the rest are ways that give up.
inline constexpr double NearlyAll = 0.9;

/// Move: what is attached to the object hangs on another one from then on.
enum class ObjectEventKind { Publish, Attach, Move, Free };

struct ObjectEvent {
  ObjectEventKind Kind;
  CodePoint At;
  /// Attach, Move: to whom; None for an object that others find.
  LinkId Other = None;
  LinkId By = None; ///< the name by which it happened to the object
  bool operator==(const ObjectEvent &) const = default;
};

/// The events of one function. Summaries of its callees must be done where they
/// can be.
class ObjectEvents {
public:
  ObjectEvents(const Program &Whole, const CodeFrequencies &Code,
               FunctionId Function, LinkValues &Pool, ValueTranslator &Values,
               ObjectBirths &Births, const Earlier<LifetimeSummary> &Summaries);

  const std::vector<ObjectEvent> &of(LinkId Root) const;
  /// What may have happened before the place to the object that a variable
  /// stands for, under the other names that it has.
  std::vector<ObjectEvent> byOtherNames(LinkId Root, CodePoint At);
  /// Whether such an event lies on some way to the place.
  bool happened(LinkId Root, ObjectEventKind Kind, LinkId Other, CodePoint At);
  /// Probability that an event of that kind follows.
  double ahead(LinkId Root, ObjectEventKind Kind, CodePoint At);

private:
  void addEvents();
  bool reaches(CodePoint From, CodePoint To);
  void addCall(const CallFact &Call);
  std::string_view memberName(const CallFact &Call) const;
  void addEvent(LinkId Root, ObjectEvent What, unsigned Depth = 0);
  bool isOpenOrFresh(LinkId Root);
  void hand(LinkId Object, LinkId To, CodePoint At);

  const Program &Whole;
  const CodeFrequencies &Code;
  FunctionId Function;
  LinkValues &Pool;
  ValueTranslator &Values;
  ObjectBirths &Births;
  const Earlier<LifetimeSummary> Summaries;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  std::map<LinkId, std::vector<ObjectEvent>> Events;
  std::map<std::tuple<LinkId, ObjectEventKind, LinkId>, std::vector<bool>>
      Before;
  std::map<std::pair<LinkId, ObjectEventKind>, std::vector<double>> After;
  std::map<uint32_t, std::vector<bool>> Behind; ///< blocks that follow a block
};

} // namespace kst
