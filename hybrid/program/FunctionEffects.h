// SPDX-License-Identifier: GPL-2.0-or-later
//
// The effects of one function: its own accesses and what it takes over from
// its callees, in terms of the instances it knows.

#pragma once

#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/program/Configuration.h"
#include "hybrid/program/Effects.h"
#include "hybrid/program/Lifetimes.h"
#include "hybrid/program/SubjectRecord.h"
#include "hybrid/program/ValueTranslator.h"
#include "hybrid/program/Visits.h"

#include <set>
#include <unordered_map>
#include <vector>

namespace kst {

/// How often a caller has taken over an instance of a callee's summary.
struct TakeOver {
  FunctionId Callee = None;
  LinkId Instance = None; ///< in the callee's terms
  double Times = 0;       ///< per invocation of the caller
  /// Of these, in which the caller knows that it is in a subject, or that it is
  /// not.
  double Inside = 0, Outside = 0;
};

/// Summaries as a function sees them that is about to be summarised: those of
/// the subject where there are any, else what all subjects share. Borrows.
class KnownEffects {
public:
  KnownEffects(const SummaryTable &Table) : Shared(Table) {}
  KnownEffects(Earlier<Effects> Shared,
               const std::unordered_map<FunctionId, Effects> &Own)
      : Shared(std::move(Shared)), Own(&Own) {}

  const Effects &operator[](FunctionId Id) const {
    if (Own)
      if (auto It = Own->find(Id); It != Own->end())
        return It->second;
    return Shared[Id];
  }

private:
  Earlier<Effects> Shared;
  const std::unordered_map<FunctionId, Effects> *Own = nullptr;
};

/// Whether an effect out of a summary that all subjects share is one for this.
bool concerns(const EffectKey &Key, const SubjectRecord &Subject);

class FunctionEffects {
public:
  FunctionEffects(const Program &Whole, const CodeFrequencies &Code,
                  const SubjectRecord &Subject, LinkValues &Pool,
                  FunctionId Function, ValueTranslator &Values,
                  const KnownEffects &Summaries, FunctionLifetimes &Lives,
                  const ConfigurationCode &Configured, bool HasRounds,
                  LinkDrops &Drops);

  /// Everything, own and taken over; per visit (see visitsPerCall).
  Effects All;
  std::vector<TakeOver> Taken;
  uint64_t ResolvedSites = 0;

  void collect();

  /// How many visits to the instance one call of the function makes: the
  /// iterations of the loop in which the instance changes, the rounds of a
  /// thread, or 1.
  double visitsPerCall(LinkId Instance, uint32_t Round) const;

private:
  /// What one place of the function adds, before it is known how many visits
  /// it is spread over.
  struct Contribution {
    EffectKey Key;
    uint32_t Block;
    double Share;
    Effect Once;
  };
  void spreadOverVisits();
  struct Place {
    LinkId Instance;
    uint32_t Field;
    RecordId Part;
    double Share = 1;     ///< chance that it is so
    bool Guessed = false; ///< it may be no subject at all
    uint32_t Offset = 0;  ///< bytes from the field's start, or from Instance;
                          ///< None: not known
  };
  Place resolve(LinkId Address, RecordId PartOfPending) const;
  /// Whether a pointer that is kept there leads into no subject.
  bool leadsElsewhere(LinkId Value) const;
  /// Whether a subject can be at this address.
  bool fits(LinkId Instance) const;
  /// The same for an address that is one of several: those that are known.
  std::vector<Place> places(LinkId Address, RecordId PartOfPending,
                            unsigned Depth = 0) const;
  /// The target whose field the pointers to Value start from, or None.
  LinkId subjectOnTheWay(LinkId Value) const;
  bool relevant(const Place &At) const;
  uint32_t loopOf(LinkId Instance) const;
  uint32_t roundOf(LinkId Instance, uint32_t Block) const;
  /// The loop of which each iteration is a visit, or None.
  uint32_t visitLoop(const EffectKey &Key) const {
    return Key.Round != None ? Key.Round : loopOf(Key.Instance);
  }
  double reach(uint32_t Block, uint32_t Loop) const;
  void addAccess(const AccessFact &Access);
  void addRest(const Place &First, LinkId Address, const AccessFact &Access,
               const Effect &Once);
  void addCall(const CallFact &Call);
  void addUnseenCall(const CallFact &Call);
  /// The subjects that it makes of a part that it is given, and how surely.
  std::map<LinkId, double> addCallee(const CallFact &Call,
                                     const PossibleCallee &Callee);
  struct Moment {
    uint32_t Block;
    LifeState When;
    bool Configuration;
  };
  Moment momentOf(LinkId Instance, uint32_t Block, uint32_t Order) const;
  void addAt(const Place &At, const Moment &When, double Share,
             const Effect &Once);
  std::map<bool, LifeState> usualStates(LinkId Instance) const;
  void joinContainers();
  bool holdsSubject(RecordId Record, uint32_t Field) const;
  void joinAliases();
  bool readsThroughSubject(LinkId Value) const;
  bool isLockPart(LinkId Address) const;
  RecordId pointedRecord(LinkId Address) const;
  bool isAtomicPart(LinkId Address) const;

  const Program &Whole;
  const CodeFrequencies &Code;
  const SubjectRecord &Subject;
  LinkValues &Pool;
  FunctionId Function;
  ValueTranslator &Values;
  const KnownEffects Summaries;
  FunctionLifetimes &Lives;
  const ConfigurationCode &Configured;
  const bool HasRounds;
  LinkDrops &Drops;
  const TuFacts &Facts;
  const FunctionFact &Fact;
  std::vector<Contribution> Contributions;
  /// Subjects that only callees make of a part that they are given, and how
  /// surely they do.
  std::map<LinkId, double> MadeByCallees;
  /// Per call, of instances and rounds that vary.
  std::map<std::pair<LinkId, uint32_t>, double> Visits;
};

} // namespace kst
