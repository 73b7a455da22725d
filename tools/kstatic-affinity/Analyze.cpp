// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Analyze.h"

#include "hybrid/graph/AffinityGraph.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/link/StaticSource.h"
#include "hybrid/report/HtmlReport.h"
#include "hybrid/report/JsonReport.h"
#include "hybrid/report/TextReport.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace kst {

namespace {

/// Sets that together make less than this share of all visits are noise of
/// the frequency estimate; they cost time and change no decision.
constexpr double NegligibleTail = 1e-4;

void complain(const llvm::Twine &Message) {
  llvm::errs() << "kstatic-affinity: " << Message << "\n";
}

bool reportError(llvm::Error E) {
  if (!E)
    return false;
  complain(llvm::toString(std::move(E)));
  return true;
}

/// Drops the weakest sets (they are sorted, strongest first).
void dropTail(std::vector<CoAccessSet> &Sets) {
  double Total = 0, Tail = 0;
  for (const CoAccessSet &Set : Sets)
    Total += Set.Weight;
  while (!Sets.empty() && Tail + Sets.back().Weight <= NegligibleTail * Total) {
    Tail += Sets.back().Weight;
    Sets.pop_back();
  }
}

Report makeReport(const Options &Given, AffinityEvidence Evidence,
                  const std::string &Triple) {
  dropTail(Evidence.Sets);
  Report Made;
  Made.Tool = {toolVersion(), llvmVersion()};
  Made.Triple = Triple;
  Made.CacheLineBytes = Given.CacheLine;
  LayoutOptions How;
  How.LineBytes = Given.CacheLine;
  Made.LambdaShare = How.LambdaShare;
  Made.LambdaRemote = How.LambdaRemote;
  Made.LambdaPad = How.LambdaPad;
  Conflicts Clashes(Evidence.Record.Fields.size(), Evidence.Sets, How);
  AffinityGraph Graph(Evidence.Record, Evidence.Sets, Clashes);
  Made.Edges = Graph.edges();
  for (AffinityEdge &Edge : Made.Edges)
    Edge.Static = Edge.Gain;
  Made.Layouts = advise(Evidence, How);
  Made.Evidence = std::move(Evidence);
  return Made;
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

llvm::Error writeGraphs(const Options &Given, const Report &Of,
                        bool Several) {
  auto NameFor = [&](const std::string &File) {
    return Several ? File + "." + Of.Evidence.Record.Name : File;
  };
  Conflicts Clashes(Of.Evidence.Record.Fields.size(), Of.Evidence.Sets,
                    LayoutOptions());
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
         Given.GraphMlFile != "-" && Given.DotFile != "-";
}

llvm::Error writeFiles(const Options &Given,
                       const std::vector<Report> &Reports) {
  if (!Given.JsonFile.empty())
    if (llvm::Error E =
            writeFile(Given.JsonFile, Reports.size() == 1
                                          ? toJson(Reports.front())
                                          : toJson(Reports)))
      return E;
  if (!Given.HtmlFile.empty())
    if (llvm::Error E =
            writeFile(Given.HtmlFile, Reports.size() == 1
                                          ? toHtml(Reports.front())
                                          : toHtml(Reports)))
      return E;
  for (const Report &Of : Reports)
    if (llvm::Error E = writeGraphs(Given, Of, Reports.size() > 1))
      return E;
  return llvm::Error::success();
}

void printStatistics(const FactsSession &Session) {
  const RunStatistics &Run = Session.Statistics;
  llvm::errs() << "units: " << Run.Units << ", from cache: " << Run.CacheHits
               << ", parsed: " << Run.Parsed << ", failed: " << Run.Failed
               << ", largest process: " << Run.PeakRssKb / 1024 << " MiB\n";
}

bool warnUnknownHot(const Options &Given, const Program &Whole) {
  bool Any = Given.Hot.empty();
  for (const auto &[Name, Weight] : Given.Hot) {
    bool Known = !Whole.functionsNamed(Name).empty();
    Any |= Known;
    if (!Known)
      complain("warning: --hot " + Name +
               ": no analysed file has the body of such a function");
  }
  return Any;
}

} // namespace

ExitCode runAnalyze(const Options &Given) {
  llvm::Expected<FactsSession> Session = collectFacts(Given);
  if (!Session) {
    reportError(Session.takeError());
    return ExitUsage;
  }
  if (Session->Statistics.Interrupted)
    return ExitInterrupted;
  if (!Given.Quiet)
    for (const std::string &Warning : Session->Statistics.Warnings)
      complain("warning: " + Warning);
  if (Given.Verbose)
    printStatistics(*Session);
  if (Session->Units.empty()) {
    for (const FailedUnit &Failed : Session->Covered.UnitsFailed)
      complain(Failed.File + ": " + Failed.Reason);
    complain("no file could be analysed");
    return ExitNoResult;
  }

  if (!Given.Quiet && !Session->Covered.UnitsFailed.empty())
    complain(llvm::formatv("warning: {0} of {1} files could not be analysed; "
                           "the report says why",
                           Session->Covered.UnitsFailed.size(),
                           Session->Covered.UnitsSelected));

  Program Whole(Session->Units);
  if (!warnUnknownHot(Given, Whole)) {
    complain("none of the --hot functions is in the analysed files");
    return ExitNoResult;
  }
  StaticSource Source(Whole, Given.Hot);
  const TuFacts &First = Whole.unit(0);
  std::vector<Report> Reports;
  double Coverage = 1;
  for (const std::string &Name : Given.Structs) {
    Result<AffinityEvidence> Evidence = Source.evidence(Name);
    if (!Evidence) {
      complain(Evidence.error());
      const std::vector<FailedUnit> &Lost = Session->Covered.UnitsFailed;
      for (const FailedUnit &Failed : Lost)
        complain("note: not analysed: " + Failed.File + ": " + Failed.Reason);
      // A name that is nowhere is a mistake, unless we did not see everything.
      bool Unknown = Whole.recordsNamed(Name).empty() && Lost.empty();
      return Unknown ? ExitUsage : ExitNoResult;
    }
    std::string Mismatch = offsetMismatch(Evidence->Record);
    if (!Mismatch.empty()) {
      complain("struct " + Name + ": the offset model disagrees with the "
               "compiler (" + Mismatch + "); please report this");
      return ExitNoResult;
    }
    kst::Coverage &Covered = Evidence->Covered;
    Covered.UnitsSelected = Session->Covered.UnitsSelected;
    Covered.UnitsParsed = Session->Covered.UnitsParsed;
    Covered.UnitsFailed = Session->Covered.UnitsFailed;
    Covered.FlagsDropped = Session->Covered.FlagsDropped;
    Coverage = std::min(Coverage, coveredShare(Covered));
    Reports.push_back(makeReport(Given, std::move(*Evidence),
                                 First.Strings[First.Triple]));
  }
  if (reportError(writeFiles(Given, Reports)))
    return ExitNoResult;
  if (printsText(Given) && reportError(printText(Given, Reports)))
    return ExitNoResult;
  if (Coverage < Given.MinCoverage) {
    complain(llvm::formatv("coverage is {0:f3}, below --min-coverage {1:f3}",
                           Coverage, Given.MinCoverage));
    return ExitLowCoverage;
  }
  return ExitDone;
}

} // namespace kst
