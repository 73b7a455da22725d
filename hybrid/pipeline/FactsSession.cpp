// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/FactsSession.h"

#include "analyzer/compile/OffsetsUnits.h"
#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/facts/HeaderIndex.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/program/DemandsOnly.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>

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
  for (size_t Pos = 0; (Pos = Reason.find(Root, Pos)) != std::string::npos;)
    Reason.erase(Pos, Root.size());
  llvm::StringRef Rest = Reason;
  if (Rest.consume_front(Failed.File) && Rest.consume_front(":"))
    Reason = "line " + Rest.str();
}

/// Names what has the build generate a header that is not there.
static std::string withTarget(std::string Reason, const std::string &Make) {
  if (!Make.empty() && llvm::StringRef(Reason).contains("file not found"))
    Reason += "; if the build generates it, this does: " + Make;
  return Reason;
}

std::vector<std::string> buildsOf(const DatabaseOptions &Units) {
  return Units.BuildDirs.empty() ? std::vector<std::string>{""}
                                 : Units.BuildDirs;
}

DatabaseOptions unitsOf(const AnalyzeRequest &Asked, const std::string &Build) {
  DatabaseOptions Units = Asked.Units;
  Units.BuildDirs.clear();
  Units.StructNames.clear();
  if (!Build.empty())
    Units.BuildDirs.push_back(Build);
  for (const StructRequest &Struct : Asked.Structs)
    Units.StructNames.push_back(parseRecordSpelling(Struct.Name).Name);
  return Units;
}

RunOptions runOptions(const UnitsRequest &Asked,
                      const std::string &SourceRoot) {
  RunOptions Run = Asked.Run;
  // Plain runs exist to check the others: they take nothing from a cache.
  if (Asked.Plain)
    Run.Cache.Directory.clear();
  Run.Cache.ToolId = factsBuildId() + " " + SourceRoot;
  return Run;
}

RunUnit runUnit(const CompileUnit &Unit) {
  return {Unit.File, Unit.Relative, Unit.Directory, Unit.Args};
}

FactsSession collectFacts(const UnitsRequest &Asked, const UnitList &List) {
  FactsSession Session;
  Session.SourceRoot = List.SourceRoot;
  Coverage &Covered = Session.Covered;
  Covered.UnitsFailed = List.Failed;
  Covered.FlagsDropped = List.FlagsDropped;
  std::vector<RunUnit> Units;
  for (const CompileUnit &Unit : List.Units)
    Units.push_back(runUnit(Unit));
  Covered.UnitsSelected = Units.size() + List.Failed.size();
  for (const CompileUnit &Unit : List.Units) {
    Covered.UnitsDerived += Unit.Origin == CommandOrigin::Model;
    Covered.UnitsByTemplate += Unit.Origin == CommandOrigin::Template;
  }
  if (Covered.UnitsDerived)
    Covered.FlagsFrom = List.Builds.front().Model;
  // Not selected, not counted, and none is missed where it does not parse.
  const size_t Selected = Units.size();
  for (const CompileUnit &Unit : offsetsUnits(List))
    Units.push_back(runUnit(Unit));
  std::vector<std::pair<TuFacts, RunUnit>> Unselected;

  const RunOptions Run = runOptions(Asked, List.SourceRoot);
  Session.Units.reserve(Units.size());
  Session.Statistics = runUnits(
      Units, makeExtractor(List.SourceRoot, Asked.Plain), Run,
      [&](size_t Index, UnitOutcome Outcome) {
        if (Index >= Selected) {
          if (Outcome.Facts)
            Unselected.push_back(
                {demandsOnly(*Outcome.Facts), std::move(Units[Index])});
        } else if (Outcome.Facts) {
          Session.Units.push_back(std::move(*Outcome.Facts));
          Session.Commands.push_back(Units[Index]);
        } else
          Covered.UnitsFailed.push_back(
              {Units[Index].Relative,
               withTarget(std::move(Outcome.Reason), List.Units[Index].Make)});
      });
  if (Run.Shown)
    Run.Shown->clear();
  Covered.UnitsParsed = Session.Units.size();
  if (Session.Units.empty())
    Unselected.clear();
  for (auto &[Facts, Command] : Unselected) {
    Session.Units.push_back(std::move(Facts));
    Session.Commands.push_back(std::move(Command));
  }
  for (FailedUnit &Failed : Covered.UnitsFailed)
    shorten(Failed, List.SourceRoot);
  llvm::sort(Covered.UnitsFailed, [](const FailedUnit &A, const FailedUnit &B) {
    return A.File < B.File;
  });
  return Session;
}

} // namespace kst
