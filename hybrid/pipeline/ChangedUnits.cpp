// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ChangedUnits.h"

#include "analyzer/compile/SeeingUnits.h"
#include "analyzer/compile/SourceTree.h"
#include "hybrid/pipeline/FactsSession.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>

namespace kst {

namespace {

/// What is looked at, unless the user says it.
std::vector<std::string> pathsFor(const ChangedCode &Change) {
  std::set<std::string> Paths;
  for (const ChangedSource &Source : Change.Sources)
    if (Source.isHeader())
      Paths.insert(Change.path(Source));
    else if (llvm::StringRef Folder = llvm::sys::path::parent_path(Source.Name);
             !Folder.empty())
      Paths.insert(absolutePath(Change.Root, Folder));
  return {Paths.begin(), Paths.end()};
}

/// One build directory.
class Selector {
public:
  Selector(const AnalyzeRequest &Asked, const ChangedCode &Change,
           const std::string &Build)
      : Asked(Asked), Change(Change), Build(Build) {}

  llvm::Expected<UnitList> select();
  ChangedUnits changedOf(const UnitList &List);

private:
  DatabaseOptions options() const {
    DatabaseOptions Units = unitsOf(Asked, Build);
    Units.StructNames.clear();
    Units.SomePaths = true;
    return Units;
  }
  const std::set<std::string> &seeing(const ChangedSource &Source);
  std::set<std::string> findSeeing(const ChangedSource &Source) const;

  const AnalyzeRequest &Asked;
  const ChangedCode &Change;
  const std::string &Build;
  std::map<std::string, std::set<std::string>> Found; ///< by changed file
};

/// CompileUnit::Relative of all units of the build that see the file.
const std::set<std::string> &Selector::seeing(const ChangedSource &Source) {
  auto [Place, New] = Found.try_emplace(Source.Name);
  if (New)
    Place->second = findSeeing(Source);
  return Place->second;
}

std::set<std::string> Selector::findSeeing(const ChangedSource &Source) const {
  const std::string Path = Change.path(Source);
  if (!llvm::sys::fs::exists(Path))
    return Source.isHeader() ? std::set<std::string>() : std::set{Source.Name};
  DatabaseOptions Options = options();
  Options.Paths = {Path};
  auto List = loadUnits(Options);
  if (!List) {
    llvm::consumeError(List.takeError());
    // A database without dependencies does not know who reads a header.
    Options.Paths.clear();
    const SeeingUnits Seen = unitsThatSee(Options, Path);
    return {Seen.Units.begin(), Seen.Units.end()};
  }
  std::set<std::string> Units;
  for (const CompileUnit &Unit : List->Units)
    Units.insert(Unit.Relative);
  return Units;
}

llvm::Expected<UnitList> Selector::select() {
  DatabaseOptions Options = options();
  if (!Options.Paths.empty()) {
    Options.Missed = [&](const std::string &Why) { Asked.Diags.warn(Why); };
    auto List = loadUnits(Options);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    return List;
  }
  Options.Paths = pathsFor(Change);
  auto List = loadUnits(Options);
  if (List)
    return List;
  std::set<std::string> Units;
  for (const ChangedSource &Source : Change.Sources)
    Units.insert(seeing(Source).begin(), seeing(Source).end());
  if (Units.empty())
    return List;
  llvm::consumeError(List.takeError());
  Options.Paths.clear();
  Options.WholeTree = true;
  List = loadUnits(Options);
  if (List)
    llvm::erase_if(List->Units, [&](const CompileUnit &Unit) {
      return !Units.contains(Unit.Relative);
    });
  return List;
}

ChangedUnits Selector::changedOf(const UnitList &List) {
  ChangedUnits Changed;
  for (const CompileUnit &Unit : List.Units) {
    bool Code = false;
    for (const ChangedSource &Source : Change.Sources)
      if (seeing(Source).contains(Unit.Relative)) {
        Changed.Seeing.insert(Unit.File);
        Code |= !Source.MembersOnly;
      }
    if (Code)
      Changed.Code.push_back(runUnit(Unit));
  }
  return Changed;
}

} // namespace

llvm::Expected<ReviewSelection> selectForReview(const AnalyzeRequest &Asked,
                                                const ChangedCode &Change) {
  ReviewSelection Chosen;
  for (const std::string &Build : buildsOf(Asked.Units)) {
    Selector From(Asked, Change, Build);
    auto List = From.select();
    if (!List && !Asked.Units.Paths.empty())
      return List.takeError();
    if (!List) {
      // Files that no unit of this configuration reads.
      Chosen.Notes.push_back((Build.empty() ? "" : Build + ": ") +
                             llvm::toString(List.takeError()));
      continue;
    }
    for (const std::string &Note : List->Notes)
      Asked.Diags.note("note: " + Note);
    if (List->Units.empty())
      continue;
    Chosen.Builds.push_back(Build);
    Chosen.Changed.push_back(From.changedOf(*List));
    Chosen.Lists.push_back(std::move(*List));
  }
  return Chosen;
}

} // namespace kst
