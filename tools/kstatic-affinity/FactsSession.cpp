// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/FactsSession.h"

#include "analyzer/compile/CompileDatabase.h"
#include "analyzer/compile/OffsetsUnits.h"
#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/facts/HeaderIndex.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/program/DemandsOnly.h"
#include "hybrid/report/TextStyle.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <memory>
#include <unistd.h>

namespace kst {

Extractor makeExtractor(const std::string &SourceRoot, bool Plain) {
  // Each process that works on units has its own copy and teaches it.
  auto Headers = std::make_shared<HeaderIndex>();
  return [SourceRoot, Plain,
          Headers](const RunUnit &Unit,
                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
    ExtractRequest Request;
    Request.SourceRoot = SourceRoot;
    Request.Directory = Unit.Directory;
    Request.Args = Unit.Args;
    Request.Plain = Plain;
    Request.Headers = Headers.get();
    return extractFacts(Request, std::move(Files));
  };
}

/// Reasons name files in full, and often the unit's own at the beginning; the
/// report says already which one it is, and where the sources are.
static void shorten(FailedUnit &Failed, const std::string &SourceRoot) {
  const std::string Root = SourceRoot + "/";
  std::string &Reason = Failed.Reason;
  for (size_t At = 0; (At = Reason.find(Root, At)) != std::string::npos;)
    Reason.erase(At, Root.size());
  llvm::StringRef Rest = Reason;
  if (Rest.consume_front(Failed.File) && Rest.consume_front(":"))
    Reason = "line " + Rest.str();
}

DatabaseOptions selectedUnits(const Options &Given) {
  DatabaseOptions Where;
  Where.BuildDirs = Given.BuildDirs;
  Where.Paths = Given.Paths;
  Where.Exclude = Given.Exclude;
  for (const std::string &Struct : Given.Structs)
    Where.StructNames.push_back(parseRecordSpelling(Struct).Name);
  Where.TemplateFile = Given.TemplateFile;
  return Where;
}

RunOptions runOptions(const Options &Given, const std::string &SourceRoot) {
  RunOptions Run;
  Run.Workers = Given.Jobs;
  // Plain runs exist to check the others: they take nothing from a cache.
  if (!Given.NoCache && !Given.Plain) {
    Run.Cache.Directory =
        Given.CacheDir.empty() ? defaultCacheDirectory() : Given.CacheDir;
    Run.Cache.ToolId = factsBuildId() + " " + SourceRoot;
  }
  return Run;
}

FactsSession collectFacts(const Options &Given, const UnitList &List) {
  FactsSession Session;
  Session.SourceRoot = List.SourceRoot;
  Session.Covered.UnitsFailed = List.Failed;
  Session.Covered.FlagsDropped = List.FlagsDropped;
  std::vector<RunUnit> Units;
  for (const CompileUnit &From : List.Units)
    Units.push_back({From.File, From.Relative, From.Directory, From.Args});
  Session.Covered.UnitsSelected = Units.size() + List.Failed.size();
  // Not selected, not counted, and none is missed where it does not parse.
  size_t Selected = Units.size();
  for (const CompileUnit &From : offsetsUnits(List))
    Units.push_back({From.File, From.Relative, From.Directory, From.Args});
  std::vector<std::pair<TuFacts, RunUnit>> Unselected;

  Progress Shown(llvm::errs(), progressStyle(llvm::errs(), Given.Quiet),
                 terminalWidth(STDERR_FILENO, 80));
  RunOptions Run = runOptions(Given, List.SourceRoot);
  Run.Shown = &Shown;
  Session.Units.reserve(Units.size());
  Session.Statistics =
      runUnits(Units, makeExtractor(List.SourceRoot, Given.Plain), Run,
               [&](size_t Index, UnitOutcome Outcome) {
                 if (Index >= Selected) {
                   if (Outcome.Facts)
                     Unselected.push_back({demandsOnly(*Outcome.Facts),
                                           std::move(Units[Index])});
                 } else if (Outcome.Facts) {
                   Session.Units.push_back(std::move(*Outcome.Facts));
                   Session.Commands.push_back(Units[Index]);
                 } else
                   Session.Covered.UnitsFailed.push_back(
                       {Units[Index].Relative, std::move(Outcome.Reason)});
               });
  Shown.clear();
  Session.Covered.UnitsParsed = Session.Units.size();
  if (Session.Units.empty())
    Unselected.clear();
  for (auto &[Facts, Command] : Unselected) {
    Session.Units.push_back(std::move(Facts));
    Session.Commands.push_back(std::move(Command));
  }
  for (FailedUnit &Failed : Session.Covered.UnitsFailed)
    shorten(Failed, List.SourceRoot);
  std::sort(
      Session.Covered.UnitsFailed.begin(), Session.Covered.UnitsFailed.end(),
      [](const FailedUnit &A, const FailedUnit &B) { return A.File < B.File; });
  return Session;
}

} // namespace kst
