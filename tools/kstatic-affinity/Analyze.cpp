// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Analyze.h"

#include "analyzer/codelayout/CodeLayoutBaseline.h"
#include "hybrid/affinity/AffinityGraph.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/EdgeOrigins.h"
#include "hybrid/fieldorder/HtmlReport.h"
#include "hybrid/fieldorder/JsonReport.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/fieldorder/TextReport.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/InstanceFile.h"
#include "hybrid/layout/RuleIds.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/Configs.h"
#include "tools/kstatic-affinity/ExportInstance.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/Patch.h"
#include "tools/kstatic-affinity/Preflight.h"
#include "tools/kstatic-affinity/SeenBy.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <list>
#include <map>

#include <unistd.h>

namespace kst {

namespace {

/// Sets that together make less than this share of all visits are noise of
/// the frequency estimate; they cost time and change no decision.
constexpr double NegligibleTail = 1e-4;

} // namespace

void dropTail(std::vector<CoAccessSet> &Sets) {
  double Total = 0, Tail = 0;
  for (const CoAccessSet &Set : Sets)
    Total += Set.Weight;
  while (!Sets.empty() && Tail + Sets.back().Weight <= NegligibleTail * Total) {
    Tail += Sets.back().Weight;
    Sets.pop_back();
  }
}

LayoutOptions layoutOptions(const Options &Given) {
  LayoutOptions How;
  How.LineBytes = Given.CacheLine;
  How.InstanceAlignBytes = Given.InstanceAlign;
  How.KeepBelow = Given.KeepBelow;
  How.Ambitious = Given.Ambitious;
  How.MayGrow = Given.AllowGrowth;
  How.MaxMoves = Given.MaxMoves;
  How.Seed = Given.Seed;
  How.AlsoLineBytes = {64, 128};
  return How;
}

/// The option as it was given, for messages.
static std::string spelled(const Options &Given, const Addressed &Said) {
  return Given.Structs.size() == 1
             ? Said.Text
             : Given.Structs[Said.Struct] + ":" + Said.Text;
}

llvm::Error readPins(const Options &Given, size_t Index,
                     const RecordInfo &Record, LayoutOptions &How) {
  for (const Addressed &Pin : Given.Pins) {
    if (!Pin.concerns(Index))
      continue;
    Result<Placement> Demand = parsePlacement(Record, Pin.Text);
    if (!Demand)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(), "--pin %s: %s",
          spelled(Given, Pin).c_str(), Demand.error().c_str());
    How.Demands.push_back(*Demand);
    How.Demands.back().Text = spelled(Given, Pin);
  }
  return llvm::Error::success();
}

std::vector<std::string> liftedIds(const Options &Given, size_t Index) {
  std::vector<std::string> Ids;
  for (const Addressed &Rule : Given.LiftRules)
    if (Rule.concerns(Index))
      Ids.push_back(Rule.Text);
  return Ids;
}

llvm::Error checkLifted(const LayoutProblem &Problem) {
  for (const std::string &Id : Problem.options().Lift)
    if (std::string Why = liftProblem(Problem.rules().notes(), Id);
        !Why.empty())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(), "--lift-rule: struct %s: %s",
          Problem.record().Name.c_str(), Why.c_str());
  return llvm::Error::success();
}

namespace {

/// Prices --what-if and --order beside current and proposed.
llvm::Error answerQuestions(const Options &Given, size_t Index,
                            const LayoutProblem &Problem, Advice &Layouts) {
  auto Add = [&](const std::string &Name, Result<BrickOrder> Order,
                 const std::vector<std::string> &Notes) -> llvm::Error {
    if (!Order)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s",
                                     Order.error().c_str());
    if (!Given.Quiet)
      for (const std::string &Note : Notes)
        complain("note: " + Name + ": " + Note);
    Layouts.Asked.push_back(scoreOf(Problem, Name, *Order));
    return llvm::Error::success();
  };
  for (const Addressed &Question : Given.WhatIf) {
    if (!Question.concerns(Index))
      continue;
    std::vector<std::string> Notes;
    if (llvm::Error E = Add(Question.Text,
                            askedOrder(Problem, Question.Text, &Notes), Notes))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "--what-if '%s': %s",
                                     spelled(Given, Question).c_str(),
                                     llvm::toString(std::move(E)).c_str());
  }
  for (const Addressed &File : Given.OrderFiles) {
    if (!File.concerns(Index))
      continue;
    llvm::Expected<std::string> Text = readFile(File.Text);
    if (!Text)
      return Text.takeError();
    std::vector<std::string> Notes;
    if (llvm::Error E = Add(
            File.Text, orderFromText(Problem, *Text, File.Text, &Notes), Notes))
      return E;
  }
  return llvm::Error::success();
}

Report makeReport(const StructInConfigs &Of, const LayoutProblem &Problem) {
  const LayoutOptions &How = Problem.options();
  Report Made;
  Made.Tool = {toolVersion(), llvmVersion()};
  Made.Triple = Of.Where.front()->Triple;
  Made.CacheLineBytes = How.LineBytes;
  Made.Seed = How.Seed;
  Made.InstanceAlignBytes =
      How.InstanceAlignBytes
          ? How.InstanceAlignBytes
          : instanceAlignment(Problem.record(0), How.LineBytes);
  Made.LambdaShare = How.LambdaShare;
  Made.LambdaRemote = How.LambdaRemote;
  Made.LambdaPad = How.LambdaPad;
  Made.Edges = Problem.graph().edges();
  describeEdges(Made.Edges, Of.Evidence.Configs.front().Sets);
  std::vector<Baseline> Others = baselines(Problem.space(), Problem.graph());
  Others.erase(Others.begin()); // the current order: every report has it
  Others.push_back(codeLayoutBaseline(Problem.space(), Problem.graph()));
  Made.Layouts = advise(Problem, Others);
  for (size_t I = 0; I < Made.Layouts.Configs.size(); ++I) {
    const Config &Where = *Of.Where[I % Of.Where.size()];
    Made.Layouts.Configs[I].Name = Where.Name;
    Made.Layouts.Configs[I].Triple = Where.Triple;
  }
  Made.Evidence = Of.Evidence.Configs.front();
  return Made;
}

/// False, with a word of what to do, if --write would change a definition of
/// which not every user was looked at.
bool mayWrite(const Options &Given, size_t Index, const Report &Of) {
  const bool Wanted = llvm::any_of(
      Given.Write, [&](const Addressed &A) { return A.concerns(Index); });
  if (!Wanted || Given.Force || Of.Layouts.What != Verdict::Reorder)
    return true;
  for (const Onlookers &Seen : Of.SeenBy)
    if (std::string Missed = missedSentence(Seen, Of.SeenBy.size() > 1);
        !Missed.empty()) {
      complain("--write: struct " + Of.Evidence.Record.Name +
               " is left as it is: " + Missed);
      complain("look at them, or say --force");
      return false;
    }
  return true;
}

/// Of the lines of the proposed order: how often visits touch two fields.
std::vector<ProfileAdvice::Group> groupsUnder(const AffinityEvidence &Alone,
                                              const Report &Of) {
  const Layout &Plan = Of.Layouts.Proposed.Plan;
  std::map<uint64_t, double> Together;
  double Visits = 0;
  for (const CoAccessSet &Set : Alone.Sets) {
    Visits += Set.Weight;
    // Chance of none and of just one, line by line.
    std::map<uint64_t, std::pair<double, double>> Lines;
    for (const FieldTouch &T : Set.Touches) {
      auto [It, New] = Lines.try_emplace(
          Plan.OffsetBits[T.Field] / 8 / Of.CacheLineBytes, 1, 0);
      auto &[Zero, One] = It->second;
      One = One * (1 - T.Probability) + Zero * T.Probability;
      Zero *= 1 - T.Probability;
    }
    for (const auto &[Line, Chance] : Lines)
      Together[Line] +=
          Set.Weight * std::max(0.0, 1 - Chance.first - Chance.second);
  }
  std::vector<ProfileAdvice::Group> Groups;
  for (const auto &[Line, Often] : Together)
    if (Visits > 0)
      Groups.push_back({static_cast<uint32_t>(Line), Often / Visits});
  return Groups;
}

/// Asks each profile alone what the proposed order is worth.
std::vector<ProfileAdvice> underProfiles(const Configs &All,
                                         const std::string &Struct,
                                         const LayoutProblem &Problem,
                                         const Report &Of) {
  std::vector<ProfileAdvice> Answers;
  if (All.profileCount() < 2 || Of.Layouts.What != Verdict::Reorder)
    return Answers;
  for (size_t P = 0; P != All.profileCount(); ++P) {
    auto Found = All.evidenceUnder(P, Struct);
    StructInConfigs *Alone = std::get_if<StructInConfigs>(&Found);
    if (!Alone)
      continue;
    LayoutProblem Asked(Alone->Evidence, Problem.options());
    ProfileAdvice Answer;
    Answer.Name = Of.Evidence.Covered.Profiles[P].Name;
    std::vector<ConfigScore> Scores =
        configScores(Asked, Of.Layouts.Proposed.Plan);
    for (size_t C = 0; C != Asked.configCount(); ++C) {
      Answer.Now += Asked.share(C) * Scores[C].Now.total();
      Answer.New += Asked.share(C) * Scores[C].New.total();
    }
    Answer.Holds = Answer.gain() >= Problem.options().KeepBelow;
    Answer.Groups = groupsUnder(Alone->Evidence.Configs.front(), Of);
    Answers.push_back(std::move(Answer));
  }
  return Answers;
}

/// The share of the accesses of the struct that could be resolved, or that of
/// the units that could be parsed if that is less, 0..1.
double coveredShare(const Coverage &Covered) {
  uint64_t Dropped = 0;
  for (const auto &[Reason, Count] : Covered.AccessesDropped)
    Dropped += Count;
  uint64_t All = Covered.AccessesResolved + Dropped;
  double Resolved = All ? double(Covered.AccessesResolved) / All : 1;
  return std::min(Resolved,
                  double(Covered.UnitsParsed) / Covered.UnitsSelected);
}

/// What tells the graph of one report from those of the others: the struct's
/// name and, if others have the same, its file.
std::string suffixOf(const std::vector<Report> &Reports, const Report &Of) {
  const RecordInfo &Record = Of.Evidence.Record;
  if (Reports.size() == 1)
    return "";
  std::string Place = "@" + Record.File;
  std::replace(Place.begin(), Place.end(), '/', '_');
  const bool Alone = llvm::count_if(Reports, [&](const Report &Other) {
                       return Other.Evidence.Record.Name == Record.Name;
                     }) == 1;
  return "." + Record.Name + (Alone ? "" : Place);
}

llvm::Error writeGraphs(const Options &Given, const Report &Of,
                        const std::string &Suffix) {
  auto NameFor = [&](const std::string &File) { return File + Suffix; };
  Conflicts Clashes(Of.Evidence.Record.Fields.size(), Of.Evidence.Sets,
                    conflictOptions(ConflictOptions(), Of.Evidence.Users));
  AffinityGraph Graph(Of.Evidence.Record, Of.Evidence.Sets, Clashes);
  auto Write = [&](const std::string &File,
                   Result<std::string> Text) -> llvm::Error {
    if (!Text)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s",
                                     Text.error().c_str());
    return writeFile(NameFor(File), *Text);
  };
  if (!Given.GraphMlFile.empty())
    if (llvm::Error E = Write(Given.GraphMlFile, Graph.graphMl()))
      return E;
  if (!Given.DotFile.empty())
    if (llvm::Error E = Write(Given.DotFile, Graph.dot()))
      return E;
  return llvm::Error::success();
}

llvm::Error printText(const Options &Given,
                      const std::vector<Report> &Reports) {
  TextOptions How;
  How.Color = wantsColor(Given.Color, STDOUT_FILENO);
  How.Full = Given.Full;
  How.Width = terminalWidth(STDOUT_FILENO, 100);
  std::string Text;
  for (const Report &Of : Reports)
    Text += toText(Of, How);
  return writeFile("-", Text);
}

/// stdout is for one report.
bool printsText(const Options &Given) {
  return !Given.Quiet && Given.JsonFile != "-" && Given.HtmlFile != "-" &&
         Given.GraphMlFile != "-" && Given.DotFile != "-" &&
         Given.InstanceFile != "-" &&
         llvm::none_of(Given.Patches,
                       [](const Addressed &A) { return A.Text == "-"; });
}

/// Nothing but the layout problems is asked for: no need to solve them.
bool wantsOnlyInstances(const Options &Given) {
  return !Given.InstanceFile.empty() && !printsText(Given) &&
         Given.JsonFile.empty() && Given.HtmlFile.empty() &&
         Given.GraphMlFile.empty() && Given.DotFile.empty() &&
         Given.Patches.empty() && Given.Write.empty();
}

/// A line for each configuration.
std::string instances(const StructInConfigs &Of, const LayoutOptions &How) {
  std::string Text;
  for (size_t I = 0; I < Of.Where.size(); ++I) {
    Instance Made =
        makeInstance(Of.Evidence.Configs[I], How, Of.Where[I]->Triple);
    if (Of.Where.size() > 1)
      Made.Name += "@" + Of.Where[I]->Name;
    Text += writeInstance(Made);
  }
  return Text;
}

llvm::Error writeFiles(const Options &Given,
                       const std::vector<Report> &Reports) {
  if (!Given.JsonFile.empty())
    if (llvm::Error E = writeFile(Given.JsonFile, Reports.size() == 1
                                                      ? toJson(Reports.front())
                                                      : toJson(Reports)))
      return E;
  if (!Given.HtmlFile.empty())
    if (llvm::Error E = writeFile(Given.HtmlFile, Reports.size() == 1
                                                      ? toHtml(Reports.front())
                                                      : toHtml(Reports)))
      return E;
  for (const Report &Of : Reports)
    if (llvm::Error E = writeGraphs(Given, Of, suffixOf(Reports, Of)))
      return E;
  return llvm::Error::success();
}

/// A struct with its report. Neither moves in memory: others refer to them.
struct Analysed {
  StructInConfigs Of;
  Report Proposed;
};

/// What all structs make together.
struct Answers {
  std::list<Analysed> Structs; ///< those that gave a report
  std::vector<ProposedChange> Changes;
  std::string Instances;
  double Coverage = 1;
};

/// Analyses struct number Index.
ExitCode analyse(const Options &Given, const Configs &All, size_t Index,
                 Answers &Into) {
  auto Found = All.evidence(Given.Structs[Index], Given.Quiet);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Found))
    return *Failed;
  Analysed &One = Into.Structs.emplace_back();
  One.Of = std::move(std::get<StructInConfigs>(Found));
  for (AffinityEvidence &Config : One.Of.Evidence.Configs) {
    Into.Coverage = std::min(Into.Coverage, coveredShare(Config.Covered));
    dropTail(Config.Sets);
  }
  LayoutOptions How = layoutOptions(Given);
  auto Drop = [&](ExitCode Code) {
    Into.Structs.pop_back();
    return Code;
  };
  if (reportError(readPins(Given, Index, One.Of.Evidence.Joint, How)))
    return Drop(ExitUsage);
  How.Rules = rulesOfHeader(All, One.Of.Evidence.Joint);
  How.Lift = liftedIds(Given, Index);
  if (!Given.InstanceFile.empty())
    Into.Instances += instances(One.Of, How);
  if (wantsOnlyInstances(Given))
    return Drop(ExitDone);
  LayoutProblem Problem(One.Of.Evidence, How);
  if (reportError(checkLifted(Problem)))
    return Drop(ExitUsage);
  One.Proposed = makeReport(One.Of, Problem);
  One.Proposed.UnderProfiles =
      underProfiles(All, Given.Structs[Index], Problem, One.Proposed);
  if (reportError(answerQuestions(Given, Index, Problem, One.Proposed.Layouts)))
    return Drop(ExitUsage);
  if (Given.wantsPatchOf(Index))
    One.Proposed.SeenBy = seenBy(Given, All, One.Of);
  if (!mayWrite(Given, Index, One.Proposed))
    return ExitUsage; // a report, and no patch
  const Advice &Layouts = One.Proposed.Layouts;
  Into.Changes[Index] = {&One.Of, &One.Proposed,
                         movedFields(Problem, Layouts.Proposed.Plan.Order)};
  for (const std::string &Unmet : Layouts.Unmet)
    complain("struct " + Given.Structs[Index] + ": the best order found " +
             Unmet);
  return Layouts.Unmet.empty() ? ExitDone : ExitNoResult;
}

/// Everything that is written for the answers, headers last.
bool writeAll(const Options &Given, const Configs &All, const Answers &Answered,
              bool Whole) {
  std::vector<Report> Reports;
  for (const Analysed &One : Answered.Structs)
    Reports.push_back(One.Proposed);
  bool Written = true;
  if (!Given.InstanceFile.empty())
    Written &= !reportError(writeFile(Given.InstanceFile, Answered.Instances));
  if (!Reports.empty())
    Written &= !reportError(writeFiles(Given, Reports));
  if (!Reports.empty() && printsText(Given))
    Written &= !reportError(printText(Given, Reports));
  if (!Whole && (!Given.Patches.empty() || !Given.Write.empty()))
    complain("no patch and no header is written, as not every struct could "
             "be answered");
  else if (!Reports.empty())
    Written &= !reportError(writePatches(Given, All, Answered.Changes));
  return Written;
}

} // namespace

ExitCode runAnalyze(const Options &Asked) {
  auto Checked = checkAgainstSources(Asked);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Checked))
    return *Failed;
  const Options &Given = std::get<Preflight>(Checked).Given;
  auto Collected = Configs::collect(Given, std::get<Preflight>(Checked).Lists);
  if (const ExitCode *Failed = std::get_if<ExitCode>(&Collected))
    return *Failed;
  const Configs &All = std::get<Configs>(Collected);

  Answers Answered;
  Answered.Changes.resize(Given.Structs.size());
  ExitCode Worst = std::get<Preflight>(Checked).Code;
  for (size_t I = 0; I != Given.Structs.size(); ++I)
    Worst = std::max(Worst, analyse(Given, All, I, Answered));
  const bool Whole = llvm::none_of(
      Answered.Changes, [](const ProposedChange &C) { return !C.Proposed; });
  if (!writeAll(Given, All, Answered, Whole))
    Worst = std::max(Worst, ExitNoResult);
  if (Worst != ExitDone)
    return Worst;
  if (Answered.Coverage < Given.MinCoverage) {
    complain(llvm::formatv("coverage is {0:f3}, below --min-coverage {1:f3}",
                           Answered.Coverage, Given.MinCoverage));
    return ExitLowCoverage;
  }
  return ExitDone;
}

} // namespace kst
