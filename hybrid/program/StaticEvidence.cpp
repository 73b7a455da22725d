// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/StaticEvidence.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/core/NamesLike.h"
#include "hybrid/program/LifeWeights.h"
#include "hybrid/program/MemberUses.h"
#include "hybrid/program/OpaqueUses.h"
#include "hybrid/program/SourceRules.h"
#include "hybrid/program/SubjectRecord.h"
#include "hybrid/program/ThreadStarts.h"
#include "hybrid/program/Visits.h"
#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kst {

Result<RecordId> findRecord(const Program &Whole, const std::string &Struct) {
  std::vector<RecordId> Found = Whole.recordsNamed(Struct);
  if (!Found.empty()) {
    const std::vector<RecordId> One = Whole.recordsOfText(Found[0]);
    if (std::ranges::all_of(Found, [&](RecordId Id) {
          return std::ranges::find(One, Id) != One.end();
        }))
      return Found[0];
  }
  if (Found.empty() && !Whole.recordsNamed("(" + Struct + ")").empty())
    return Failure{"no analysed file defines struct or union '" + Struct +
                   "'; the struct without a tag of that variable is '(" +
                   Struct + ")'"};
  if (Found.empty())
    return Failure{"no analysed file defines struct or union '" + Struct + "'" +
                   didYouMean(Whole.namesLike(Struct))};
  // One line: it stands in reports, too.
  std::string Message = "struct '" + Struct + "' has " +
                        std::to_string(Found.size()) + " different definitions";
  for (size_t I = 0; I != Found.size(); ++I) {
    RecordInfo Info = Whole.recordInfo(Found[I]);
    Message += (I ? ", " : ": ") + Info.File + ":" + std::to_string(Info.Line) +
               " (" + std::to_string(Info.SizeBytes) + " bytes, " +
               std::to_string(Info.Fields.size()) + " fields)";
  }
  return Failure{Message + "; select files that agree on one of them"};
}

namespace {

class SetMaker {
public:
  SetMaker(const Program &Whole, AffinityEvidence &Evidence)
      : Whole(Whole), Evidence(Evidence) {}

  void add(const Visit &Of) {
    CoAccessSet Set;
    Set.Weight = Of.Weight;
    Set.From = Of.From;
    Set.Cpu = Of.Cpu;
    Set.When = Of.When;
    // One CPU owns it; or it happens once in a life or once in a day, and then
    // matters as often as it was counted.
    if (isOwned(Of.When))
      Set.Shared = 0;
    else if (Of.When == Phase::Configuration)
      Set.Shared = Of.From.MeasuredShare;
    Set.Kind = Of.Loop != None ? SetKind::Loop : SetKind::Visit;
    Set.Where = placeOf(Of);
    bool Locked = false;
    for (const auto &[Field, Inner] : Of.Fields)
      Locked |= Inner.Lock > 0.5 * Inner.Probability;
    Set.Guarded = Locked || takesLock(Of);
    // Who takes its lock is, as often as anybody, its own CPU.
    if (Locked && Set.Cpu == CpuRelation::Chosen)
      Set.Cpu = CpuRelation::Unknown;
    for (const auto &[Field, Inner] : Of.Fields)
      Set.Touches.push_back(touch(Field, Inner, Of.Cpu, Locked));
    count(Set, Of);
    Evidence.Sets.push_back(std::move(Set));
  }

private:
  /// The owner, or a function in which a field is written.
  bool takesLock(const Visit &Of) {
    bool Takes = takesLock(Of.Owner);
    for (const auto &[Field, Inner] : Of.Fields)
      for (const Effect::Site &At : Inner.Sites)
        Takes = Takes || (At.Writes > 0 && takesLock(At.Function));
    return Takes;
  }
  bool takesLock(FunctionId Id) {
    auto [It, New] = TakesLock.try_emplace(Id, false);
    if (New)
      for (const CallFact &Call :
           rowsOf(Whole.unitOf(Id).Calls, Whole.Functions[Id].Fact->Calls))
        It->second |= Call.Kind == CallKind::Direct &&
                      isA(NameKind::Guard,
                          Whole.calleeName(Whole.Functions[Id].Unit, Call));
    return It->second;
  }

  Site placeOf(const Visit &Of) const {
    const LinkedFunction &Function = Whole.Functions[Of.Owner];
    const TuFacts &Facts = Whole.unitOf(Of.Owner);
    uint32_t Line = Function.Fact->Line;
    if (Of.Loop != None)
      Line = Facts.Loops[Function.Fact->Loops.Begin + Of.Loop].Line;
    return {Facts.Strings[Function.Fact->Name],
            Facts.Strings[Function.Fact->File], Line};
  }

  FieldTouch touch(uint32_t Field, const Effect &Inner, CpuRelation Cpu,
                   bool Locked) const {
    FieldTouch Touch;
    Touch.Field = Field;
    Touch.Probability = Inner.Probability;
    Touch.Reads = Inner.Reads;
    Touch.Writes = Inner.Writes;
    Touch.Spots = Inner.Spots;
    double Total = Inner.Reads + Inner.Writes;
    // Nobody holds the lock of an instance that it visits from another CPU
    // without taking it.
    double Lockless = Cpu == CpuRelation::Remote && !Locked ? Total - Inner.Lock
                                                            : Inner.Marked;
    Touch.LocklessShare = Total > 0 ? std::min(1.0, Lockless / Total) : 0;
    for (const Effect::Site &At : Inner.Sites) {
      const LinkedFunction &Function = Whole.Functions[At.Function];
      if (At.Reads + At.Writes > 0)
        Touch.Sites.push_back({{Whole.text(Function.Unit, Function.Fact->Name),
                                Whole.Strings[At.File], At.Line},
                               At.Reads,
                               At.Writes,
                               At.Assumed,
                               At.Guessed});
    }
    return Touch;
  }

  void count(const CoAccessSet &Set, const Visit &Of) {
    bool Remote = Set.Cpu == CpuRelation::Remote;
    for (const FieldTouch &Touch : Set.Touches) {
      FieldUse &Use = Evidence.Fields[Touch.Field];
      Use.Reads += Set.Weight * Touch.Reads;
      Use.Writes += Set.Weight * Touch.Writes;
      Use.RemoteReads += Remote ? Set.Weight * Touch.Reads : 0;
      Use.RemoteWrites += Remote ? Set.Weight * Touch.Writes : 0;
      Use.Lockless +=
          Set.Weight * (Touch.Reads + Touch.Writes) * Touch.LocklessShare;
      Use.Lock += Set.Weight * Of.Fields.at(Touch.Field).Lock;
      for (const AccessSite &At : Touch.Sites)
        Use.Sites += Places.emplace(Touch.Field, At.Where).second;
    }
  }

  const Program &Whole;
  AffinityEvidence &Evidence;
  std::set<std::pair<uint32_t, Site>> Places; ///< of fields, counted
  std::map<FunctionId, bool> TakesLock;
};

} // namespace

/// Counts by reason: what the front end dropped in any unit and what the linker
/// dropped. Reasons that never occurred are absent.
static std::map<std::string, uint64_t>
dropCounts(const Program &Whole, RecordId Record, const LinkDrops &Drops) {
  std::map<std::string, uint64_t> Counts;
  // A header's inline function is in many units but is one place.
  std::set<std::pair<StrId, uint32_t>> Seen;
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const DropFact &Drop : Whole.unit(Unit).Drops)
      if (Drop.Record != None && Whole.record(Unit, Drop.Record) == Record &&
          Seen.insert({Whole.string(Unit, Drop.File), Drop.Line}).second)
        ++Counts["no-control-flow"];
  if (Drops.WholeRecord)
    Counts["whole-record-copy"] = Drops.WholeRecord;
  return Counts;
}

/// The bodies of the units' own text, each counted once.
static void countFunctions(const Program &Whole, Coverage &Covered) {
  for (const LinkedFunction &Function : Whole.Functions)
    Covered.FunctionsRead += (Function.Fact->Flags & FnOwn) != 0;
  std::set<Site> Unread;
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const DropFact &Drop : Whole.unit(Unit).Drops)
      if (Drop.Function)
        Unread.insert({Whole.text(Unit, Drop.Function),
                       Whole.text(Unit, Drop.File), Drop.Line});
  Covered.FunctionsUnread.assign(Unread.begin(), Unread.end());
}

void sortSets(std::vector<CoAccessSet> &Sets) {
  std::ranges::stable_sort(
      Sets, [](const CoAccessSet &A, const CoAccessSet &B) {
        bool Later = A.When != Phase::Steady, Sooner = B.When != Phase::Steady;
        return std::tie(Later, B.Weight, A.Where.File, A.Where.Line,
                        A.Where.Function) < std::tie(Sooner, A.Weight,
                                                     B.Where.File, B.Where.Line,
                                                     B.Where.Function);
      });
}

/// But for rules, members and threads.
static AffinityEvidence visitEvidence(const Program &Whole, RecordId Id,
                                      const VisitList &Found) {
  AffinityEvidence Evidence;
  Evidence.Record = Whole.recordInfo(Id);
  Evidence.Fields.resize(Evidence.Record.Fields.size());

  SetMaker Maker(Whole, Evidence);
  for (const Visit &Of : Found.Visits)
    Maker.add(Of);
  sortSets(Evidence.Sets);

  Coverage &Covered = Evidence.Covered;
  Covered.Static = true;
  Covered.AccessesResolved = Found.ResolvedSites;
  Covered.AccessesDropped = dropCounts(Whole, Id, Found.Drops);
  countFunctions(Whole, Covered);
  if (Found.Roots.exclusive())
    makeExclusive(Evidence, "the source reaches its objects only through the "
                            "running task, data of this CPU or thread, or the "
                            "stack");
  return Evidence;
}

AffinityEvidence evidenceOf(const Program &Whole, RecordId Id,
                            const VisitList &Found) {
  AffinityEvidence Evidence = visitEvidence(Whole, Id, Found);
  const RuleBasis Basis(Whole);
  Evidence.Rules = sourceRules(Basis, Id);
  Evidence.Opaque = opaqueUses(Basis, Id);
  Evidence.Members = memberUses(Whole, Id);
  Evidence.Users.StartsNoThread = startsNoThread(Whole);
  return Evidence;
}

StaticSource::StaticSource(const Program &Whole, const Estimate &Guess)
    : Whole(Whole), Guess(Guess), Basis(Whole, Guess.Often, Guess.Code),
      Rules(Whole), NoThread(startsNoThread(Whole)) {}

Result<AffinityEvidence>
StaticSource::evidence(const std::string &Struct) const {
  Result<RecordId> Id = findRecord(Whole, Struct);
  if (!Id)
    return Failure{Id.error()};
  return evidence(*Id);
}

AffinityEvidence StaticSource::evidence(RecordId Id) const {
  VisitList Found = findVisits(Basis, SubjectRecord(Whole, Basis.Places, Id));
  for (Visit &Of : Found.Visits)
    Of.From.ReferenceShare = Guess.referenced(Of.Owner);
  weighByLives(Found.Visits);
  AffinityEvidence Evidence = visitEvidence(Whole, Id, Found);
  Evidence.Rules = sourceRules(Rules, Id);
  Evidence.Opaque = opaqueUses(Rules, Id);
  Evidence.Members = memberUses(Whole, Id, Basis.naming(Id));
  Evidence.Users.StartsNoThread = NoThread;
  return Evidence;
}

Result<AffinityEvidence> staticEvidence(const Program &Whole,
                                        const Estimate &Guess,
                                        const std::string &Struct) {
  return StaticSource(Whole, Guess).evidence(Struct);
}

} // namespace kst
