// SPDX-License-Identifier: GPL-2.0-or-later
//
// What happens in a function to the objects that it deals with: publication,
// attachment to another object and the end, and what of it lies before or
// behind a place. docs/method.md, "Phases".

#ifndef KST_HYBRID_LINK_OBJECTEVENTS_H
#define KST_HYBRID_LINK_OBJECTEVENTS_H

#include "hybrid/link/ObjectBirths.h"

#include <map>
#include <tuple>
#include <vector>

namespace kst {

/// A place lies in the part of the life that ends when so much of what may
/// follow frees the object; the rest are ways that give up.
inline constexpr double NearlyAll = 0.9;

enum class EventKind { Publish, Attach, Free };

struct ObjectEvent {
  EventKind Kind;
  CodePoint At;
  LinkId Other = None; ///< Attach: to whom
};

/// The events of one function. Summaries of its callees must be done where they
/// can be.
class ObjectEvents {
public:
  ObjectEvents(const Program &Whole, const CodeFrequencies &Code,
               FunctionId Function, LinkValues &Pool, ValueTranslator &Values,
               ObjectBirths &Births,
               const std::vector<LifetimeSummary> &Summaries);

  const std::vector<ObjectEvent> &of(LinkId Root) const;
  /// Whether such an event lies on some way to the place.
  bool happened(LinkId Root, EventKind Kind, LinkId Other, CodePoint At);
  /// Probability that an event of that kind follows.
  double ahead(LinkId Root, EventKind Kind, CodePoint At);

private:
  void addEvents();
  void addCall(const CallFact &Call);
  void addEvent(LinkId Root, ObjectEvent What, unsigned Depth = 0);
  void hand(LinkId Object, LinkId To, CodePoint At);

  const Program &Whole;
  const CodeFrequencies &Code;
  FunctionId Function;
  LinkValues &Pool;
  ValueTranslator &Values;
  ObjectBirths &Births;
  const std::vector<LifetimeSummary> &Summaries;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  std::map<LinkId, std::vector<ObjectEvent>> Events;
  std::map<std::tuple<LinkId, EventKind, LinkId>, std::vector<bool>> Before;
  std::map<std::pair<LinkId, EventKind>, std::vector<double>> After;
};

} // namespace kst

#endif
