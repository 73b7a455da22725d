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
// docs/method.md, "Phases", has the rules and their limits.

#ifndef KST_HYBRID_LINK_LIFETIMES_H
#define KST_HYBRID_LINK_LIFETIMES_H

#include "hybrid/link/CodeFrequencies.h"
#include "hybrid/link/LifeState.h"
#include "hybrid/link/ValueTranslator.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace kst {

/// What a caller must know. Bits are numbers of parameters.
struct LifetimeSummary {
  bool ReturnsFresh = false;
  bool ReturnsPooled = false; ///< of a cache that belongs to this CPU
  uint32_t Publishes = 0;
  uint32_t Frees = 0;
  /// The object of the first parameter is found by who finds the second's.
  std::vector<std::pair<uint8_t, uint8_t>> Attaches;
};

/// What callers pass: where a call is, and in which state its argument is.
struct PassedObject {
  FunctionId Callee = None;
  uint32_t Param = 0;
  LifeState State;
};

/// One function. Summaries of its callees must be done where they can be.
class FunctionLifetimes {
public:
  FunctionLifetimes(const Program &Whole, const CodeFrequencies &Code,
                    FunctionId Function, LinkValues &Pool,
                    ValueTranslator &Values,
                    const std::vector<LifetimeSummary> &Summaries);

  LifeState stateAt(LinkId Instance, uint32_t Block, uint32_t Order);
  LifetimeSummary summary();
  /// Arguments that are objects, and functions that will be called with some.
  std::vector<PassedObject> passed();

private:
  enum class Birth { Shared, Pool, Fresh, Param };
  enum class EventKind { Publish, Attach, Free };
  struct Point {
    uint32_t Block, Order;
  };
  struct Event {
    EventKind Kind;
    Point At;
    LinkId Other = None; ///< Attach: to whom
  };

  LinkId root(LinkId Value) const;
  Birth birth(LinkId Root);
  Birth birthOf(LinkId Root);
  bool isPooled(LinkId Value) const;
  bool isContainer(LinkId Value) const;
  LinkId perCpuPart(LinkId Value) const;
  /// What a variable may stand for, or the function may return, error codes
  /// left out.
  std::vector<LinkId> objects(Range Values);
  Birth common(const std::vector<LinkId> &Roots, LinkId Except);
  Birth birthOfCall(const CallFact &Call) const;

  void addEvents();
  void addCall(const CallFact &Call);
  void addEvent(LinkId Root, Event What, unsigned Depth = 0);
  void hand(LinkId Object, LinkId To, Point At);

  const std::vector<Point> &births(LinkId Root);
  bool bornBetween(LinkId Root, uint32_t Block, uint32_t After,
                   uint32_t Before);
  /// Whether the way into the block begins another iteration of the loop in
  /// which the object changes.
  bool renews(LinkId Root, uint32_t Block) const;
  bool isHeader(uint32_t Block, uint32_t Loop) const;
  bool happened(LinkId Root, EventKind Kind, LinkId Other, Point At);
  /// Probability that an event of that kind follows.
  double ahead(LinkId Root, EventKind Kind, Point At);
  LifeState privacy(LinkId Root, Point At, unsigned Depth = 0);
  bool isFreed(LinkId Param);

  const Program &Whole;
  const CodeFrequencies &Code;
  FunctionId Function;
  LinkValues &Pool;
  ValueTranslator &Values;
  const std::vector<LifetimeSummary> &Summaries;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  std::map<LinkId, std::vector<Event>> Events;
  std::map<LinkId, Birth> Births;
  std::map<LinkId, std::vector<Point>> BirthPoints;
  std::map<std::tuple<LinkId, EventKind, LinkId>, std::vector<bool>> Before;
  std::map<std::pair<LinkId, EventKind>, std::vector<double>> After;
};

/// Per function and parameter: the state of what all seen callers pass.
class PassedStates {
public:
  PassedStates(const Program &Whole,
               const std::vector<std::vector<PassedObject>> &ByCaller);
  LifeState::Kind of(FunctionId Function, uint32_t Param) const;

private:
  void
  addCallbacks(const Program &Whole,
               const std::map<std::pair<FunctionId, uint32_t>, bool> &Seen);

  std::map<std::pair<FunctionId, uint32_t>, LifeState::Kind> States;
};

} // namespace kst

#endif
