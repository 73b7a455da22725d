// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Configs.h"

#include "analyzer/compile/LayoutFlags.h"
#include "analyzer/compile/Provenance.h"
#include "analyzer/files/InputFile.h"
#include "hybrid/affinity/CpuGrowth.h"
#include "hybrid/affinity/LifetimeClass.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/Visitors.h"
#include "hybrid/fieldorder/FailureView.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/pipeline/IndexFacts.h"
#include "hybrid/report/Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <list>
#include <map>
#include <set>

namespace kst {

/// What the run has to say and no run before has said; an error if there are
/// no facts to go on with.
static llvm::Error checkSession(const FactsSession &Session,
                                const DiagnosticConsumer &Diags,
                                std::set<std::string> &Warned) {
  const Coverage &Covered = Session.Covered;
  if (Session.Statistics.Interrupted)
    return interrupted();
  for (const std::string &Warning : Session.Statistics.Warnings)
    if (Warned.insert(Warning).second)
      Diags.note("warning: " + Warning);
  if (Session.Units.empty()) {
    std::vector<std::string> Why;
    for (const FailedUnit &Failed : Covered.UnitsFailed)
      Why.push_back(Failed.File + ": " + Failed.Reason);
    Why.push_back("no file could be analysed");
    return errors(ExitNoResult, Why);
  }
  if (!Covered.UnitsFailed.empty())
    Diags.note("warning: " +
               failureSummary(Covered.UnitsFailed, Covered.UnitsSelected) +
               "; the report says why");
  return llvm::Error::success();
}

/// An error if functions were named and none of them is known.
static llvm::Error checkHot(const AnalyzeRequest &Asked, const Program &Whole) {
  bool Any = Asked.Hot.empty();
  for (const auto &[Name, Weight] : Asked.Hot) {
    bool Known = !Whole.functionsNamed(Name).empty();
    Any |= Known;
    if (!Known && Asked.HotFrom.count(Name))
      Asked.Diags.warn("warning: --hot " + Name +
                       ": no analysed file has the body of such a function");
  }
  return Any ? llvm::Error::success()
             : failure("none of the --hot functions is in the analysed files");
}

/// The same for every way to spell the same -p, where that is not ambiguous;
/// one configuration alone goes by its architecture.
void Configs::nameAll() {
  if (All.size() == 1) {
    All[0]->Name = llvm::StringRef(All[0]->Triple).split('-').first.str();
    return;
  }
  std::map<std::string, unsigned> Uses;
  for (const auto &One : All) {
    llvm::StringRef Path = llvm::StringRef(One->Build).rtrim('/');
    One->Name = llvm::sys::path::filename(Path).str();
    ++Uses[One->Name];
  }
  for (const auto &One : All)
    if (Uses[One->Name] > 1)
      One->Name = One->Build;
}

llvm::Error Configs::add(const AnalyzeRequest &Asked, const std::string &Build,
                         const UnitList &List, IndexFacts *From, bool Apart,
                         std::set<std::string> &Warned) {
  if (!All.empty() && List.SourceRoot != sourceRoot())
    return usageError("-p " + Build + ": builds another source tree (" +
                      List.SourceRoot + ") than the first (" + sourceRoot() +
                      ")");
  auto New = std::make_unique<Config>();
  New->Build = Build;
  New->Session = From ? collectFacts(Asked, List, *From, Apart)
                      : collectFacts(Asked, List);
  if (llvm::Error E = checkSession(New->Session, Asked.Diags, Warned))
    return E;
  New->Whole = std::make_unique<Program>(New->Session.Units);
  if (llvm::Error E = checkHot(Asked, *New->Whole))
    return E;
  New->Often = estimateFrequencies(*New->Whole, Asked.Hot);
  if (!References.empty()) {
    std::list<std::string> Texts;
    auto Text = [&](const std::string &File) -> std::string_view {
      llvm::SmallString<256> Path(List.SourceRoot);
      llvm::sys::path::append(Path, File);
      if (const FileOverlay *Over = Asked.Run.Cache.Over)
        if (const FileOverlay::File *Other = Over->find(Path))
          return Other->Text ? std::string_view(*Other->Text) : "";
      auto Read = readFile(std::string(Path));
      if (Read)
        return Texts.emplace_back(std::move(*Read));
      llvm::consumeError(Read.takeError()); // lines are taken as they stand
      return "";
    };
    std::vector<Profile> Rates;
    for (const ReferenceFile &File : References) {
      auto Of = File.of(*New->Whole);
      if (!Of)
        return Of.takeError();
      Rates.push_back(std::move(*Of));
    }
    New->Often = mixed(*New->Whole, *New->Often,
                       withReference(*New->Whole, *New->Often, Rates,
                                     Asked.References.Shipped, Text),
                       Asked.References.Parts);
  }
  if (!Asked.References.Shipped && !References.empty() &&
      New->Often->Referenced.empty())
    Asked.Diags.warn("--reference: none of its functions that ran is in the "
                     "analysed source; left out");
  if (!Profiles.size())
    New->Source.emplace(*New->Whole, *New->Often);
  const TuFacts &First = New->Whole->unit(0);
  New->Triple = First.Strings[First.Triple];
  All.push_back(std::move(New));
  return llvm::Error::success();
}

llvm::Expected<Configs> Configs::collect(const AnalyzeRequest &Asked,
                                         const std::vector<UnitList> &Lists,
                                         bool Apart) {
  Configs Linked;
  Linked.Merge = Asked.Merge;
  Linked.OneThread = Asked.OneThread;
  Linked.WithVisitors = Asked.References.Parts.Visitors;
  llvm::Expected<ProfileFiles> Profiles = ProfileFiles::read(Asked.Profiles);
  if (!Profiles)
    return Profiles.takeError();
  Linked.Profiles = std::move(*Profiles);
  // What was measured is of the machine that it is for.
  Linked.Cpus = Asked.Cpus               ? Asked.Cpus
                : Linked.Profiles.size() ? 0
                                         : ServerCpus;
  const bool Kernel = !findSourceRoot(Lists.front().SourceRoot).empty();
  for (const std::string &File : Asked.References.Files) {
    if (Asked.References.Shipped && !Kernel)
      continue;
    llvm::Expected<ReferenceFile> Read = ReferenceFile::open(File);
    if (Read)
      Linked.References.push_back(std::move(*Read));
    else if (!Asked.References.Shipped)
      return usageError("--reference " + llvm::toString(Read.takeError()));
    else
      Asked.Diags.warn(
          "the reference that comes with the tool cannot be read: " +
          llvm::toString(Read.takeError()) +
          "; estimates are from the source alone");
  }
  const std::vector<std::string> Builds = buildsOf(Asked.Units);
  std::optional<IndexFacts> Index;
  if (!Asked.Index.empty()) {
    auto Opened = IndexFacts::open(Asked.Index);
    if (!Opened)
      return Opened.takeError();
    Index.emplace(std::move(*Opened));
  }
  std::set<std::string> Warned;
  for (size_t B = 0; B != Builds.size(); ++B)
    if (llvm::Error E = Linked.add(Asked, Builds[B], Lists[B],
                                   Index ? &*Index : nullptr, Apart, Warned))
      return E;
  Linked.nameAll();
  return Linked;
}

std::string Configs::headerOf(const RecordInfo &Record) const {
  return absolutePath(sourceRoot(), Record.File);
}

std::string Configs::whyForeign(const RecordInfo &Record) const {
  for (const auto &In : All)
    if (std::string Why = kst::whyForeign(
            In->Session.Tree, In->Session.Selected, Record.File, Record.System);
        !Why.empty())
      return Why;
  return "";
}

/// Holds everything where the compiler's offsets of another order are not
/// known.
static void addLayoutRules(AffinityEvidence &Evidence) {
  std::vector<std::string> Reasons;
  for (const auto &[Flag, Commands] : Evidence.Covered.FlagsDropped)
    if (std::string Doubt = layoutDoubt(Flag); !Doubt.empty())
      Reasons.push_back(std::move(Doubt));
  if (Evidence.Record.AsksCompiler && !Evidence.Covered.OtherCompiler.empty())
    Reasons.push_back("its members depend on which compiler reads them; the "
                      "build has " +
                      Evidence.Covered.OtherCompiler +
                      ", and clang read them here");
  const bool Known = llvm::any_of(Evidence.Rules, [](const SourceRule &Rule) {
    return Rule.Kind ==
           RuleKind::AllFixed; // a base class, a table of functions
  });
  if (std::string Mismatch = offsetMismatch(Evidence.Record);
      !Mismatch.empty() && !Known)
    Reasons.push_back("offsets cannot be predicted: " + Mismatch);
  for (std::string &Why : Reasons)
    Evidence.Rules.push_back({RuleKind::AllFixed,
                              {},
                              std::move(Why),
                              {},
                              ruleId("abi"),
                              {},
                              "no offset of another order would be sure"});
}

/// Whether all of a program was analysed, and none of it starts a thread; a
/// measurement of its users says more.
static bool hasOneThread(const FactsSession &Session, const Ownership &Users) {
  const bool OpenMp = llvm::any_of(Session.Commands, [](const RunUnit &Unit) {
    return llvm::any_of(Unit.Args, [](llvm::StringRef Arg) {
      return Arg.starts_with("-fopenmp") || Arg.starts_with("-qopenmp");
    });
  });
  return Users.StartsNoThread && !Users.OthersShare && !OpenMp &&
         Session.Covered.UnitsFailed.empty() &&
         (Session.Selected.empty() ||
          llvm::any_of(Session.Selected, [&](llvm::StringRef Path) {
            return Path == Session.SourceRoot ||
                   llvm::StringRef(Session.SourceRoot)
                       .starts_with(Path.str() + "/");
          }));
}

Result<AffinityEvidence>
Configs::evidenceIn(const Config &In, RecordId Id, const StructRequest &Asked,
                    const std::vector<WeightedProfile> &Used) const {
  Result<AffinityEvidence> Found =
      Used.empty()
          ? Result<AffinityEvidence>(In.Source->evidence(Id))
          : MergedSource(*In.Whole, *In.Often, Used, Merge).evidence(Id);
  if (!Found)
    return Found;
  const Coverage &Session = In.Session.Covered;
  Coverage &Covered = Found->Covered;
  if (!In.Often->Referenced.empty()) {
    Covered.Reference = namesOf(References);
    // What was measured here goes before what others saw.
    if (WithVisitors && !Found->Users.OthersShare && haveOwners(Found->Sets))
      for (const ReferenceFile &File : References)
        if (auto *Seen = File.visitors().of(Found->Record.Name))
          giveVisitors(*Found, *Seen);
  }
  Covered.UnitsSelected = Session.UnitsSelected;
  Covered.UnitsParsed = Session.UnitsParsed;
  Covered.UnitsDerived = Session.UnitsDerived;
  Covered.UnitsByTemplate = Session.UnitsByTemplate;
  Covered.FlagsFrom = Session.FlagsFrom;
  Covered.UnitsFailed = Session.UnitsFailed;
  Covered.FlagsDropped = Session.FlagsDropped;
  Covered.OtherCompiler = Session.OtherCompiler;
  if (Asked.VisitsPerLife > 0)
    turnToLives(*Found, Asked.VisitsPerLife);
  if (OneThread)
    makeExclusive(*Found, "--threads 1");
  else if (Asked.Private)
    makeExclusive(*Found, "--users " + Found->Record.Name + "=private");
  else if (Cpus == 1)
    makeExclusive(*Found, "--cpus 1");
  else if (hasOneThread(In.Session, Found->Users) &&
           Asked.Turns == UserTurns::Unsaid)
    makeExclusive(*Found,
                  "no unit of the program starts a thread; if a library "
                  "does, --users " +
                      Found->Record.Name + "=shared");
  if (Asked.Turns != UserTurns::Unsaid && !Found->Users.Exclusive) {
    Found->Users.Turns = Asked.Turns;
    if (Asked.Turns == UserTurns::Shared)
      Found->Users.Source = "--users " + Found->Record.Name + "=shared";
  }
  if (!Cpus)
    noteRecordedCpus(*Found);
  else if (!Found->Users.Exclusive)
    turnToCpus(*Found, Cpus);
  if (Cpus || Asked.VisitsPerLife > 0)
    sortSets(Found->Sets);
  addLayoutRules(*Found);
  return Found;
}

void StructInConfigs::add(const Config &In, RecordId Id,
                          const std::string &Asked) {
  const bool Union = In.Whole->recordFact(Id).Flags & RecUnion;
  const std::string Other =
      (Union ? "union " : "struct ") + In.Whole->recordName(Id);
  const std::string &Triple = In.Whole->recordTriple(Id);
  std::string Name = In.Name;
  if (Triple != In.Triple)
    Name += ", " + llvm::StringRef(Triple).split('-').first.str();
  if (In.Whole->recordName(Id) != Asked) {
    Name += ", " + Other;
    if (!llvm::is_contained(OtherRecords, Other))
      OtherRecords.push_back(Other);
  }
  if (const size_t Same = llvm::count_if(Names, [&](const std::string &Known) {
        return Known == Name || llvm::StringRef(Known).starts_with(Name + " #");
      }))
    Name += " #" + std::to_string(Same + 1);
  Where.push_back(&In);
  Triples.push_back(Triple);
  Names.push_back(std::move(Name));
}

llvm::Expected<StructInConfigs>
Configs::gather(const StructRequest &Asked, const DiagnosticConsumer &Diags,
                const std::vector<WeightedProfile> &Used) const {
  std::vector<AffinityEvidence> Found;
  StructInConfigs Answer;
  std::vector<std::string> Lacking; ///< why some configurations have none
  bool Unknown = true;
  for (const auto &In : All) {
    const std::string Place = All.size() > 1 ? "in " + In->Name + ": " : "";
    const std::vector<FailedUnit> &Unseen = In->Session.Covered.UnitsFailed;
    auto Lack = [&](const std::string &Why) {
      Lacking.push_back(Place + Why);
      for (const FailedUnit &Failed : Unseen)
        Lacking.push_back("note: not analysed: " + Failed.File + ": " +
                          Failed.Reason);
    };
    Result<RecordId> Named = findRecord(*In->Whole, Asked.Name);
    if (!Named) {
      // A name that is nowhere is a usageError, unless we did not see
      // everything.
      Unknown &= In->Whole->recordsNamed(Asked.Name).empty() && Unseen.empty();
      Lack(Named.error());
      continue;
    }
    for (RecordId Id : In->Whole->recordsOfText(*Named)) {
      Result<AffinityEvidence> Evidence = evidenceIn(*In, Id, Asked, Used);
      if (!Evidence) {
        Unknown = false;
        Lack(Evidence.error());
        continue;
      }
      Answer.add(*In, Id, In->Whole->recordName(*Named));
      Found.push_back(std::move(*Evidence));
    }
  }
  if (Found.empty())
    return errors(Unknown ? ExitUsage : ExitNoResult, Lacking);
  for (const std::string &Why : Lacking)
    Diags.note(Why);
  std::vector<uint32_t> Programs;
  for (const Config *In : Answer.Where)
    Programs.push_back(static_cast<uint32_t>(
        llvm::find_if(All, [&](const auto &One) { return One.get() == In; }) -
        All.begin()));
  auto Joined = orFailure(joinConfigs(std::move(Found), std::move(Programs)));
  if (!Joined)
    return Joined.takeError();
  Answer.Evidence = std::move(*Joined);
  return Answer;
}

} // namespace kst
