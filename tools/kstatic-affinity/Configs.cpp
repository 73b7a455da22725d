// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Configs.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/fieldorder/FailureView.h"
#include "hybrid/layout/FieldOffsets.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/Interrupt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace kst {

namespace {

void printStatistics(const FactsSession &Session) {
  const RunStatistics &Run = Session.Statistics;
  llvm::errs() << "units: " << Run.Units << ", from cache: " << Run.CacheHits
               << ", parsed: " << Run.Parsed << ", failed: " << Run.Failed
               << ", largest process: " << Run.PeakRssKb / 1024 << " MiB\n";
}

/// Says what the run has to say and no run before has said; ExitDone if there
/// are facts to go on with.
ExitCode checkSession(const FactsSession &Session, const Options &Given,
                      std::set<std::string> &Warned) {
  if (Session.Statistics.Interrupted)
    return interruptedExit();
  if (!Given.Quiet)
    for (const std::string &Warning : Session.Statistics.Warnings)
      if (Warned.insert(Warning).second)
        complain("warning: " + Warning);
  if (Given.Verbose)
    printStatistics(Session);
  if (Session.Units.empty()) {
    for (const FailedUnit &Failed : Session.Covered.UnitsFailed)
      complain(Failed.File + ": " + Failed.Reason);
    complain("no file could be analysed");
    return ExitNoResult;
  }
  if (!Given.Quiet && !Session.Covered.UnitsFailed.empty())
    complain("warning: " +
             failureSummary(Session.Covered.UnitsFailed,
                            Session.Covered.UnitsSelected) +
             "; the report says why");
  return ExitDone;
}

/// False if functions were named and none of them is known.
bool warnUnknownHot(const Options &Given, const Program &Whole) {
  bool Any = Given.Hot.empty();
  for (const auto &[Name, Weight] : Given.Hot) {
    bool Known = !Whole.functionsNamed(Name).empty();
    Any |= Known;
    if (!Known && Given.HotFrom.count(Name))
      complain("warning: --hot " + Name +
               ": no analysed file has the body of such a function");
  }
  return Any;
}

/// The same for every way to spell the same -p, where that is not ambiguous;
/// one configuration alone goes by its architecture.
void nameConfigs(std::vector<std::unique_ptr<Config>> &All,
                 const std::vector<std::string> &Builds) {
  if (All.size() == 1) {
    All[0]->Name = llvm::StringRef(All[0]->Triple).split('-').first.str();
    return;
  }
  std::map<std::string, unsigned> Uses;
  for (size_t C = 0; C < All.size(); ++C) {
    llvm::StringRef Path = llvm::StringRef(Builds[C]).rtrim('/');
    All[C]->Name = llvm::sys::path::filename(Path).str();
    ++Uses[All[C]->Name];
  }
  for (size_t C = 0; C < All.size(); ++C)
    if (Uses[All[C]->Name] > 1)
      All[C]->Name = Builds[C];
}

/// "in BUILD_DIR: ", where there are several.
std::string inConfig(const Config &Of, bool Several) {
  return Several ? "in " + Of.Name + ": " : std::string();
}

} // namespace

std::variant<Configs, ExitCode>
Configs::collect(const Options &Given, const std::vector<UnitList> &Lists) {
  Configs Result;
  Result.How = mergeOptions(Given);
  Result.OneThread = Given.OneThread;
  Result.Owned = Given.Owned;
  if (Given.Evidence != EvidenceKind::Static) {
    llvm::Expected<ProfileInputs> Inputs = ProfileInputs::read(Given);
    if (!Inputs) {
      reportError(Inputs.takeError());
      return ExitUsage;
    }
    Result.Profiles = std::move(*Inputs);
  }
  std::vector<std::string> Builds = Given.BuildDirs;
  if (Builds.empty())
    Builds.push_back("");
  std::set<std::string> Warned;
  for (size_t B = 0; B != Builds.size(); ++B) {
    if (B && Lists[B].SourceRoot != Lists.front().SourceRoot) {
      complain("-p " + Builds[B] + ": builds another source tree (" +
               Lists[B].SourceRoot + ") than the first (" +
               Lists.front().SourceRoot + ")");
      return ExitUsage;
    }
    auto Made = std::make_unique<Config>();
    Made->Build = Builds[B];
    Made->Session = collectFacts(Given, Lists[B]);
    if (ExitCode Code = checkSession(Made->Session, Given, Warned);
        Code != ExitDone)
      return Code;
    Made->Whole = std::make_unique<Program>(Made->Session.Units);
    if (!warnUnknownHot(Given, *Made->Whole)) {
      complain("none of the --hot functions is in the analysed files");
      return ExitNoResult;
    }
    Made->Source = std::make_unique<StaticSource>(*Made->Whole, Given.Hot);
    const TuFacts &First = Made->Whole->unit(0);
    Made->Triple = First.Strings[First.Triple];
    Result.All.push_back(std::move(Made));
  }
  nameConfigs(Result.All, Builds);
  return Result;
}

std::variant<StructInConfigs, ExitCode>
Configs::evidence(const std::string &Struct, bool Quiet) const {
  return gather(Struct, Quiet, Profiles.weighted());
}

std::variant<StructInConfigs, ExitCode>
Configs::evidenceUnder(size_t Only, const std::string &Struct) const {
  return gather(Struct, true, {Profiles.weighted()[Only]});
}

void Configs::declareUsers(AffinityEvidence &Of) const {
  if (OneThread)
    makeExclusive(Of, "--threads 1");
  else if (llvm::is_contained(Owned, Of.Record.Name))
    makeExclusive(Of, "--owned " + Of.Record.Name);
}

std::variant<StructInConfigs, ExitCode>
Configs::gather(const std::string &Struct, bool Quiet,
                const std::vector<WeightedProfile> &Used) const {
  const bool Several = All.size() > 1;
  std::vector<AffinityEvidence> Found;
  StructInConfigs Result;
  std::string LastError;
  bool Unknown = true;
  for (const auto &Of : All) {
    MergedSource Merged(*Of->Whole, Of->Source->frequencies(), Used, How);
    const AffinitySource &Source =
        Used.empty() ? static_cast<const AffinitySource &>(*Of->Source)
                     : Merged;
    kst::Result<AffinityEvidence> Evidence = Source.evidence(Struct);
    const Coverage &Session = Of->Session.Covered;
    if (!Evidence) {
      // A name that is nowhere is a mistake, unless we did not see everything.
      Unknown &= Of->Whole->recordsNamed(Struct).empty() &&
                 Session.UnitsFailed.empty();
      if (!Several || !Quiet)
        complain(inConfig(*Of, Several) + Evidence.error());
      for (const FailedUnit &Failed : Session.UnitsFailed)
        complain("note: not analysed: " + Failed.File + ": " + Failed.Reason);
      continue;
    }
    std::string Mismatch = offsetMismatch(Evidence->Record);
    if (!Mismatch.empty()) {
      complain(inConfig(*Of, Several) + "struct " + Struct +
               ": the offset model disagrees with the compiler (" + Mismatch +
               "); please report this");
      return ExitNoResult;
    }
    declareUsers(*Evidence);
    Coverage &Covered = Evidence->Covered;
    Covered.UnitsSelected = Session.UnitsSelected;
    Covered.UnitsParsed = Session.UnitsParsed;
    Covered.UnitsFailed = Session.UnitsFailed;
    Covered.FlagsDropped = Session.FlagsDropped;
    Found.push_back(std::move(*Evidence));
    Result.Where.push_back(Of.get());
  }
  if (Found.empty())
    return Unknown ? ExitUsage : ExitNoResult;
  kst::Result<JoinedConfigs> Joined = joinConfigs(std::move(Found));
  if (!Joined) {
    complain(Joined.error());
    return ExitNoResult;
  }
  Result.Evidence = std::move(*Joined);
  return Result;
}

} // namespace kst
