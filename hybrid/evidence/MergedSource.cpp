// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/MergedSource.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/MergedEvidence.h"
#include "hybrid/evidence/ObjectUsers.h"
#include "hybrid/evidence/TraceEvidence.h"
#include "hybrid/profile/ProfileFit.h"
#include "hybrid/program/MemberUses.h"
#include "hybrid/program/OpaqueUses.h"
#include "hybrid/program/SourceRules.h"
#include "hybrid/program/ThreadStarts.h"

#include <limits>

namespace kst {

/// Windows of all traces, each as long as the average one.
Result<AffinityEvidence>
MergedSource::ofTraces(const RecordInfo &Record,
                       std::vector<ProfileCoverage> Covered,
                       const std::vector<Windows> &Traced) const {
  double Sum = 0, Mean = 0;
  for (const WeightedProfile &P : Profiles)
    Sum += P.Weight;
  for (size_t I = 0; I != Traced.size(); ++I) {
    Covered[I].Share = Profiles[I].Weight / Sum;
    Mean += Covered[I].Share * double(Covered[I].Events);
  }
  AffinityEvidence All;
  for (size_t I = 0; I != Traced.size(); ++I) {
    StructureTest Test;
    Test.Structured = Covered[I].Structured;
    AffinityEvidence One = traceEvidence(Record, Traced[I], Test);
    double A = Options.Pool ? Profiles[I].Weight
               : Covered[I].Events > 0
                   ? Covered[I].Share * Mean / double(Covered[I].Events)
                   : 0;
    if (!I)
      All.Record = One.Record;
    All.Fields.resize(One.Fields.size());
    All.Origins.resize(One.Origins.size());
    for (size_t F = 0; F != One.Fields.size(); ++F) {
      All.Fields[F].Reads += A * One.Fields[F].Reads;
      All.Fields[F].Writes += A * One.Fields[F].Writes;
      FieldOrigin &Of = All.Origins[F];
      Of.Reads += One.Origins[F].Reads;
      Of.Writes += One.Origins[F].Writes;
      Of.From = Of.Reads + Of.Writes ? Origin::Measured : Origin::NotReached;
      Of.MeasuredShare = Of.From == Origin::Measured;
      double Events = double(Of.Reads + Of.Writes);
      double Unit = Events > 0 ? All.Fields[F].total() / Events : 1;
      Of.Uses = rateInterval(All.Fields[F].total(), Unit,
                             std::numeric_limits<double>::infinity());
    }
    for (CoAccessSet &Set : One.Sets) {
      Set.Weight *= A;
      Set.From.Weight.Low *= A;
      Set.From.Weight.High *= A;
      All.Sets.push_back(std::move(Set));
    }
  }
  sortSets(All.Sets);
  All.Covered.Dynamic = true;
  All.Covered.Profiles = std::move(Covered);
  return All;
}

/// What measurements say about the users of its objects, unless the source has
/// said that there is only one.
static void addUsers(AffinityEvidence &To, std::vector<MeasuredUsers> Users) {
  if (To.Users.Exclusive)
    return;
  for (size_t P = 0; P != Users.size(); ++P)
    Users[P].Share = To.Covered.Profiles[P].Share;
  Ownership Seen =
      measuredOwnership(Users, SharingOptions().UnknownRemoteShare);
  Seen.StartsNoThread = To.Users.StartsNoThread;
  To.Users = Seen;
  if (Seen.Exclusive)
    makeExclusive(To, Seen.Source);
}

/// Counts without a field are still counts of the struct.
static void addTransfer(ProfileCoverage &To, ProfileTransfer About) {
  if (About.Dropped) {
    To.Accesses += About.Dropped;
    To.NotPlaced["field-not-found-again"] += About.Dropped;
  }
  To.Transfer = std::move(About);
}

Result<AffinityEvidence>
MergedSource::evidence(const std::string &Struct) const {
  Result<RecordId> Id = findRecord(Whole, Struct);
  if (!Id)
    return Failure{Id.error()};
  return evidence(*Id);
}

Result<AffinityEvidence> MergedSource::evidence(RecordId Id) const {
  RecordInfo Record = Whole.recordInfo(Id);
  ProfileMatcher Matcher(Whole, Id);
  const std::vector<std::vector<uint32_t>> AccessBlocks =
      Matcher.accessBlocks();
  std::vector<MatchedProfile> Matched;
  std::vector<double> Weights;
  std::vector<Windows> Traced;
  std::vector<MeasuredUsers> Users;
  for (const WeightedProfile &P : Profiles) {
    // Events of a trace are in its own places.
    Result<std::optional<TransferredProfile>> Transferred =
        P.Trace.empty() ? Matcher.transfer(*P.Measured)
                        : std::optional<TransferredProfile>();
    const Profile &Measured =
        Transferred && *Transferred && (*Transferred)->What
            ? *(*Transferred)->What
            : *P.Measured;
    Result<std::vector<uint32_t>> Structs =
        Transferred ? measuredStructs(Measured, Record)
                    : Failure{Transferred.error()};
    // Samples and runs of lines know no structs.
    const bool NoStructs =
        Measured.Structs.empty() &&
        !(Measured.Samples.empty() && Measured.Sites.empty());
    if (!Structs && !NoStructs)
      return Failure{P.Name +
                     " does not fit the analysed source: " + Structs.error()};
    Matched.push_back(
        Matcher.match(Measured, Structs ? *Structs : std::vector<uint32_t>()));
    ProfileCoverage &Covered = Matched.back().Covered;
    Covered.Name = P.Name;
    if (Transferred && *Transferred)
      addTransfer(Covered, std::move((*Transferred)->About));
    for (const std::vector<uint32_t> &Blocks : AccessBlocks)
      Covered.FunctionsNotInstrumented += !Blocks.empty();
    for (const auto &[F, Of] : Matched.back().Functions)
      Covered.FunctionsNotInstrumented -=
          !AccessBlocks[F].empty() && Of.Counted;
    Weights.push_back(P.Weight);
    Users.push_back({P.Name, 1, false, Covered.Accesses,
                     Structs ? userCounts(Measured, *Structs) : std::nullopt});
    if (P.Trace.empty())
      continue;
    Result<TraceReader> Reader = TraceReader::open(P.Trace);
    if (!Reader)
      return Reader.within(P.Name);
    Result<Windows> Of = windowsOf(*Reader, Record);
    if (!Of)
      return Of.within(P.Name);
    StructureTest Test = testStructure(Of->adjacent(), Of->fields());
    Covered.Trace = true;
    Covered.Structured = Test.Structured;
    Covered.Events = Of->events();
    Covered.ByChance = Test.P;
    Covered.OrderBits = Test.Bits;
    Users.back().Trace = true;
    Users.back().Counts = Of->users();
    Traced.push_back(std::move(*Of));
  }
  if (!Options.Prior && Traced.size() == Profiles.size() && !Traced.empty()) {
    std::vector<ProfileCoverage> Covered;
    for (MatchedProfile &P : Matched)
      Covered.push_back(std::move(P.Covered));
    Result<AffinityEvidence> Made =
        ofTraces(Record, std::move(Covered), Traced);
    if (Made) {
      const RuleBasis Basis(Whole);
      Made->Rules = sourceRules(Basis, Id);
      Made->Opaque = opaqueUses(Basis, Id);
      Made->Members = memberUses(Whole, Id);
      Made->Users.StartsNoThread = startsNoThread(Whole);
      addUsers(*Made, std::move(Users));
    }
    return Made;
  }
  MeasuredCode Code =
      measuredCode(Whole, Static, Matched, Weights, AccessBlocks, Options);
  AffinityEvidence Made =
      mergedEvidence(Whole, Id, Matched, Code, Options.Prior);
  Made.Covered.Static = Options.Prior;
  addUsers(Made, std::move(Users));
  return Made;
}

} // namespace kst
