// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the visits to every record of a program have in common, found once: the
// order of the functions, their values, the lives of their objects, and what
// they do through pointers of which nobody knows where they lead. Few functions
// say more about any one record; findVisits() looks at those alone.

#pragma once

#include "hybrid/program/Configuration.h"
#include "hybrid/program/Effects.h"
#include "hybrid/program/Frequencies.h"
#include "hybrid/program/PassedStates.h"
#include "hybrid/program/Rounds.h"
#include "hybrid/program/SubjectRecord.h"
#include "hybrid/program/ValueTranslator.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kst {

/// Immutable; safe to share between threads. Borrows all that it is made of.
class VisitBasis {
public:
  VisitBasis(const Program &Whole, const Frequencies &Often,
             const CodeFrequencies &Code);
  VisitBasis(const VisitBasis &) = delete;

  const Program &Whole;
  const Frequencies &Often;
  const CodeFrequencies &Code;
  const RecordPlaces Places;
  const ConfigurationCode Configured;
  const std::vector<bool> HasRounds; ///< by FunctionId (Rounds.h)

  /// Functions in the order in which they are summarized, and the place of each
  /// in that order.
  const std::vector<FunctionId> &order() const { return Order; }
  const std::vector<uint32_t> &turns() const { return Turns; }
  const LinkValues &values() const { return Pool; }

  /// As they were known at the turn of a function.
  Earlier<LinkId> returnsAt(FunctionId At) const {
    return {Returns, Turns, At, None};
  }
  Earlier<LifetimeSummary> lifetimesAt(FunctionId At) const {
    return {Lifetimes, Turns, At};
  }
  Earlier<Effects> effectsAt(FunctionId At) const {
    return {Summaries, Turns, At};
  }
  /// Of a function; more than concerns() any one subject.
  const Effects &effects(FunctionId Id) const { return Summaries[Id]; }
  const PassedStates &callers() const { return *Passed; }

  /// Functions that a function may be called by and whose turn comes later,
  /// ascending.
  const std::vector<FunctionId> &callersOf(FunctionId Id) const {
    return Callers[Id];
  }
  /// Functions that name a field of the record, ascending.
  const std::vector<FunctionId> &naming(RecordId Id) const {
    return Naming[Id];
  }
  /// Functions whose own text may say more about the subject than is said here,
  /// ascending.
  std::vector<FunctionId> functionsOn(const SubjectRecord &Subject) const;

private:
  void summarize(FunctionId Id, const SubjectRecord &Nobody,
                 std::vector<std::vector<PassedObject>> &Objects);
  void indexText(FunctionId Id, const std::set<LinkId> &Named);

  std::vector<FunctionId> Order;
  std::vector<uint32_t> Turns;
  LinkValues Pool;
  ReturnValues Returns;
  std::vector<LifetimeSummary> Lifetimes;
  SummaryTable Summaries;
  std::optional<PassedStates> Passed;
  std::vector<std::vector<FunctionId>> Callers;
  /// Functions that name a field of the record, or bytes of its size; each
  /// ascending.
  std::vector<std::vector<FunctionId>> Naming; ///< by RecordId
  std::map<uint64_t, std::vector<FunctionId>> Moving;
};

} // namespace kst
