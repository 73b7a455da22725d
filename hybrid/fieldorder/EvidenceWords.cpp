// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/EvidenceWords.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/report/Numbers.h"

#include <numeric>

namespace kst {

const char *toWord(Origin From) {
  static const char *const Words[] = {"static",      "measured",
                                      "derived",     "never hit",
                                      "not reached", "not instrumented"};
  return Words[static_cast<size_t>(From)];
}

uint32_t ownCommands(const Coverage &C) {
  return C.UnitsSelected - C.UnitsDerived - C.UnitsByTemplate;
}

std::string unitWords(const Coverage &C) {
  std::string Words = std::to_string(C.UnitsParsed) + " of " +
                      counted(C.UnitsSelected, "translation unit");
  if (ownCommands(C) != C.UnitsSelected)
    Words += ", " + std::to_string(ownCommands(C)) +
             " with the build's own commands";
  return Words;
}

double measuredShare(const AffinityEvidence &E,
                     const std::vector<uint32_t> &Fields) {
  std::vector<bool> Asked(E.Record.Fields.size());
  for (uint32_t F : Fields)
    Asked[F] = true;
  double All = 0, Counted = 0;
  for (const CoAccessSet &Set : E.Sets)
    for (const FieldTouch &T : Set.Touches)
      if (Asked[T.Field]) {
        double Accesses = Set.Weight * (T.Reads + T.Writes);
        All += Accesses;
        Counted += Accesses * Set.From.MeasuredShare;
      }
  return All > 0 ? Counted / All : 0;
}

double measuredShare(const AffinityEvidence &E) {
  std::vector<uint32_t> Fields(E.Record.Fields.size());
  std::iota(Fields.begin(), Fields.end(), 0);
  return measuredShare(E, Fields);
}

double referenceShare(const AffinityEvidence &E) {
  double All = 0, Of = 0;
  for (const CoAccessSet &Set : E.Sets) {
    All += Set.Weight;
    Of += Set.Weight * Set.From.ReferenceShare;
  }
  return All > 0 ? Of / All : 0;
}

std::string transferWords(const ProfileTransfer &Of) {
  if (!Of.Made)
    return {};
  return "transferred from another version, " + percent(Of.share()) +
         " of its counts matched";
}

/// Of all profiles together.
static std::string transfersIn(const Coverage &C) {
  ProfileTransfer All;
  for (const ProfileCoverage &P : C.Profiles) {
    All.Made |= P.Transfer.Made;
    All.Counts += P.Transfer.Counts;
    All.Matched += P.Transfer.Matched;
  }
  return All.Made ? " (" + transferWords(All) + ")" : "";
}

std::string evidenceKind(const AffinityEvidence &E) {
  const Coverage &C = E.Covered;
  const std::string Source =
      C.Reference.empty()
          ? "static"
          : "source and reference (" + percent(referenceShare(E)) +
                " of visits by rates of " + C.Reference + ")";
  return C.Static && C.Dynamic ? Source + " and measured" + transfersIn(C)
         : C.Dynamic           ? "measured" + transfersIn(C)
         : C.Static            ? Source
                               : "none";
}

std::string measuredWords(const AffinityEvidence &E, double Share) {
  if (E.Covered.Profiles.empty())
    return {};
  if (Share < 0.0005)
    return "estimated";
  return Share > 0.9995 ? "measured" : percent(Share) + " measured";
}

std::string evidenceWords(const AffinityEvidence &E) {
  const std::string Measured = measuredWords(E, measuredShare(E));
  return evidenceKind(E) +
         (Measured.empty() ? "" : "; " + Measured + " by accesses");
}

const char *toWord(Phase When) {
  static const char *const Words[] = {"steady", "set-up", "first-use",
                                      "teardown", "configuration"};
  return Words[static_cast<size_t>(When)];
}

double phaseShare(const AffinityEvidence &E, Phase When) {
  double All = 0, Of = 0;
  for (const CoAccessSet &Set : E.Sets) {
    All += Set.Weight;
    if (Set.When == When)
      Of += Set.Weight;
  }
  return All > 0 ? Of / All : 0;
}

double guessedShare(const AffinityEvidence &E) {
  double All = 0, Of = 0;
  for (const CoAccessSet &Set : E.Sets) {
    bool Seen = false, Any = false;
    for (const FieldTouch &T : Set.Touches)
      for (const AccessSite &At : T.Sites) {
        Any = true;
        Seen = Seen || !At.Guessed;
      }
    All += Set.Weight;
    Of += Any && !Seen ? Set.Weight : 0;
  }
  return All > 0 ? Of / All : 0;
}

std::string guessedWords(const AffinityEvidence &E) {
  constexpr double Notable = 0.05;
  const double Share = guessedShare(E);
  return Share < Notable ? ""
                         : percent(Share) +
                               " of visits are guessed: all their pointers may "
                               "lead to an object of another struct";
}

std::string phaseWords(const AffinityEvidence &E) {
  double SetUp = phaseShare(E, Phase::SetUp);
  double TearDown = phaseShare(E, Phase::TearDown);
  double Configuration = phaseShare(E, Phase::Configuration);
  std::string Words;
  if (SetUp + TearDown > 0)
    Words = percent(SetUp + TearDown) + " of visits are set-up (" +
            percent(SetUp) + ") or teardown (" + percent(TearDown) +
            "), by one CPU that shares with nobody";
  if (Configuration > 0)
    Words += (Words.empty() ? "" : "; ") + percent(Configuration) +
             (Words.empty() ? " of visits" : "") + " are configuration";
  if (const LifetimeClass &Lives = E.Lives; Lives.Wanted > 0 && !Words.empty())
    Words += "; " + brief(Lives.Wanted) +
             " steady visits for each of set-up or teardown (--lifecycle), " +
             (Lives.Before > 0 ? brief(Lives.Before) + " by the evidence"
                               : "none known");
  return Words;
}

std::string visitWords(const CoAccessSet &Set) {
  std::string Words;
  if (Set.When != Phase::Steady)
    Words = std::string(toWord(Set.When)) + " ";
  if (Set.Cpu != CpuRelation::Unknown)
    Words += std::string(toWord(Set.Cpu)) + " ";
  return Words + toWord(Set.Kind);
}

std::string cpuWords(const CpuCount &Of) {
  if (!Of.Wanted)
    return {};
  std::string Text =
      "scaled from " + fixed(Of.Recorded, 0) + " CPUs" +
      (Of.RecordedAssumed ? " (a profile does not say how many)" : "") +
      " to " + std::to_string(Of.Wanted) + " (--cpus)";
  if (Of.LoopsBefore > 0)
    Text += "; loops over CPUs are " + percent(Of.Loops) + " of visits, " +
            percent(Of.LoopsBefore) + " before";
  return Text;
}

std::string ownershipWords(const Ownership &Of, bool Shares) {
  if (Of.Exclusive)
    return "each object has one user (" + Of.Source + "): no sharing is priced";
  const std::string Cpus = Of.Cpus.Wanted ? "; " + cpuWords(Of.Cpus) : "";
  if (Of.Turns == UserTurns::Shared)
    return "all CPUs at the same time (" + Of.Source + ")" + Cpus;
  if (Of.OthersShare)
    return brief(*Of.OthersShare * 100) +
           "% of the accesses come from another CPU or thread than the one "
           "with most (" +
           Of.Source + "): visits of unknown relation share that little" + Cpus;
  if (!Shares)
    return {};
  const SharingOptions Assumed = sharingOptions(SharingOptions(), Of, {});
  std::string Text =
      (Of.Turns == UserTurns::HandedOver ? "one CPU after the other (--users), "
                                         : "not known, ") +
      percent(Assumed.UnknownRemoteShare) +
      " of visits of unknown relation count as another CPU's" + Cpus;
  if (Of.StartsNoThread)
    Text += "; no analysed unit starts a thread: --threads 1 prices no sharing";
  return Text;
}

std::string chosenWords(std::span<const CoAccessSet> Sets,
                        const Ownership &Users) {
  double All = 0, Chosen = 0;
  for (const CoAccessSet &Set : Sets) {
    All += Set.Weight;
    Chosen += Set.Cpu == CpuRelation::Chosen && !Set.Others ? Set.Weight : 0;
  }
  if (!(Chosen > 0))
    return {};
  const SharingOptions Assumed = sharingOptions(SharingOptions(), Users, Sets);
  return percent(Chosen / All) +
         " of visits are to data of a CPU that the code names by a number; " +
         percent(Assumed.ChosenRemoteShare) + " of them count as another CPU's";
}

std::string seenWords(std::span<const CoAccessSet> Sets) {
  double All = 0, Seen = 0, Others = 0;
  for (const CoAccessSet &Set : Sets) {
    All += Set.Weight;
    Seen += Set.Others ? Set.Weight : 0;
    Others += Set.Others ? Set.Weight * *Set.Others : 0;
  }
  if (!(Seen > 0))
    return {};
  return percent(Seen / All) +
         " of visits are by functions that recordings know as visitors and "
         "count as recorded: " +
         percent(Others / Seen) + " of them are another CPU's";
}

} // namespace kst
