// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/FactsSession.h"

#include "analyzer/compile/OffsetsUnits.h"
#include "analyzer/facts/DeclaredFacts.h"
#include "analyzer/facts/FactsExtractor.h"
#include "analyzer/facts/HeaderIndex.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/pipeline/IndexFacts.h"
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

Extractor makeDeclarationExtractor(const std::string &SourceRoot) {
  return [SourceRoot](const RunUnit &Unit,
                      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
    ExtractRequest Request;
    Request.SourceRoot = SourceRoot;
    Request.Directory = Unit.Directory;
    Request.Args = Unit.Args;
    return declaredFacts(Request, std::move(Files));
  };
}

RunOptions declarationOptions(const UnitsRequest &Asked,
                              const std::string &SourceRoot) {
  RunOptions Run = runOptions(Asked, SourceRoot);
  Run.Cache.ToolId += " declarations";
  return Run;
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

namespace {

/// One run over the units of a list.
class Collector {
public:
  Collector(const UnitsRequest &Asked, const UnitList &List)
      : Asked(Asked), List(List), Run(runOptions(Asked, List.SourceRoot)) {
    Session.SourceRoot = List.SourceRoot;
    Session.Tree = List.Builds.front().Tree;
    Session.Selected = List.Selected;
    Coverage &Covered = Session.Covered;
    Covered.UnitsFailed = List.Failed;
    Covered.FlagsDropped = List.FlagsDropped;
    Covered.OtherCompiler = List.OtherCompiler;
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
    Selected = Units.size();
    for (const CompileUnit &Unit : offsetsUnits(List))
      Units.push_back(runUnit(Unit));
  }

  FactsSession parsed() {
    std::vector<std::pair<TuFacts, RunUnit>> Unselected;
    Session.Units.reserve(Units.size());
    extract(Units, [&](size_t Index, TuFacts Facts) {
      if (Index >= Selected) {
        Unselected.push_back({demandsOnly(Facts), std::move(Units[Index])});
        return;
      }
      Session.Units.push_back(std::move(Facts));
      Session.Commands.push_back(Units[Index]);
    });
    Session.Covered.UnitsParsed = Session.Units.size();
    if (Session.Units.empty())
      Unselected.clear();
    for (auto &[Facts, Command] : Unselected) {
      Session.Units.push_back(std::move(Facts));
      Session.Commands.push_back(std::move(Command));
    }
    return std::move(Session);
  }

  FactsSession indexed(IndexFacts &From, bool Apart);

private:
  /// Calls Take with the facts of Some, numbers of Units; says what failed.
  void extract(const std::vector<RunUnit> &Some,
               llvm::function_ref<void(size_t, TuFacts)> Take,
               const std::vector<size_t> &Numbers = {}) {
    Coverage &Covered = Session.Covered;
    Session.Statistics = runUnits(
        Some, makeExtractor(List.SourceRoot, Asked.Plain), Run,
        [&](size_t Place, UnitOutcome Outcome) {
          const size_t Index = Numbers.empty() ? Place : Numbers[Place];
          if (Outcome.Facts)
            Take(Index, std::move(*Outcome.Facts));
          else if (Index < Selected)
            Covered.UnitsFailed.push_back(
                {Units[Index].Relative, withTarget(std::move(Outcome.Reason),
                                                   List.Units[Index].Make)});
        });
    if (Run.Shown)
      Run.Shown->clear();
    for (FailedUnit &Failed : Covered.UnitsFailed)
      shorten(Failed, List.SourceRoot);
    llvm::sort(Covered.UnitsFailed,
               [](const FailedUnit &A, const FailedUnit &B) {
                 return A.File < B.File;
               });
  }

  const UnitsRequest &Asked;
  const UnitList &List;
  const RunOptions Run;
  FactsSession Session;
  std::vector<RunUnit> Units; ///< the selected ones, then others
  size_t Selected = 0;
};

FactsSession Collector::indexed(IndexFacts &From, bool Apart) {
  IndexLookup Known(From, Run.Cache);
  std::vector<std::optional<uint32_t>> Numbers; ///< in the index, of Units
  std::vector<RunUnit> Fresh;
  std::vector<size_t> FreshNumbers;
  for (size_t I = 0; I != Units.size(); ++I) {
    Numbers.push_back(Known.find(Units[I]));
    if (Numbers.back())
      continue;
    Fresh.push_back(Units[I]);
    FreshNumbers.push_back(I);
  }
  extract(
      Fresh,
      [&](size_t Index, TuFacts Facts) {
        Numbers[Index] =
            From.add(Index < Selected ? std::move(Facts) : demandsOnly(Facts));
      },
      FreshNumbers);
  Session.Statistics.Units = Units.size();
  if (std::string Why = Known.missing(Fresh); !Why.empty() && !Run.Cache.Over)
    Session.Statistics.Warnings.push_back(Why);
  std::vector<uint32_t> Wanted;
  for (size_t I = 0; I != Units.size(); ++I) {
    if (I == Selected)
      Session.Covered.UnitsParsed = Wanted.size();
    if (!Numbers[I] || (I >= Selected && !Session.Covered.UnitsParsed))
      continue;
    Wanted.push_back(*Numbers[I]);
    Session.Commands.push_back(std::move(Units[I]));
  }
  if (Units.size() == Selected)
    Session.Covered.UnitsParsed = Wanted.size();
  if (Apart)
    for (uint32_t Number : Wanted)
      Session.Units.push_back(From.store().unit(Number));
  else if (!Wanted.empty())
    Session.Units.push_back(From.store().merged(std::move(Wanted)));
  return std::move(Session);
}

} // namespace

FactsSession collectFacts(const UnitsRequest &Asked, const UnitList &List) {
  return Collector(Asked, List).parsed();
}

FactsSession collectFacts(const UnitsRequest &Asked, const UnitList &List,
                          IndexFacts &From, bool Apart) {
  return Collector(Asked, List).indexed(From, Apart);
}

} // namespace kst
