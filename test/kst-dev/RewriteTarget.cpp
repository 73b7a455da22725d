// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/kst-dev/RewriteTarget.h"

#include "analyzer/compile/SourceTree.h"
#include "analyzer/files/InputFile.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/pipeline/FactsSession.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace kst {

/// The records as the first unit sees them that sees any; without a name where
/// it sees none.
static llvm::Expected<std::pair<std::vector<RecordInfo>, ProbeUnit>>
findRecords(const UnitList &List, const std::vector<std::string> &Names) {
  std::string Last = "no unit sees " + llvm::join(Names, ", ");
  for (const CompileUnit &Unit : List.Units) {
    ProbeUnit Probe{Unit.Directory, Unit.Args};
    auto Found = recordsOf(Probe, List.SourceRoot, Names, "", {});
    if (!Found) {
      Last = llvm::toString(Found.takeError());
      continue;
    }
    std::vector<RecordInfo> Records;
    for (const std::string &Name : Names) {
      auto Same = llvm::find_if(
          *Found, [&](const RecordInfo &R) { return R.Name == Name; });
      Records.push_back(Same == Found->end() ? RecordInfo() : *Same);
    }
    if (!Found->empty())
      return std::pair(std::move(Records), Probe);
  }
  return failure(Last);
}

llvm::Expected<std::vector<RewriteTarget>>
rewriteTargets(const DatabaseOptions &Units,
               const std::vector<std::string> &Structs) {
  std::vector<std::vector<RecordInfo>> Records; // by build
  std::vector<ProbeUnit> Probes;
  std::string SourceRoot;
  for (const std::string &Build : buildsOf(Units)) {
    DatabaseOptions Where = Units;
    Where.BuildDirs.clear();
    if (!Build.empty())
      Where.BuildDirs = {Build};
    llvm::Expected<UnitList> List = loadUnits(Where);
    if (!List)
      return List.takeError();
    auto Found = findRecords(*List, Structs);
    if (!Found)
      return Found.takeError();
    if (SourceRoot.empty())
      SourceRoot = List->SourceRoot;
    Records.push_back(std::move(Found->first));
    Probes.push_back(Found->second);
  }
  std::vector<RewriteTarget> All;
  for (size_t S = 0; S != Structs.size(); ++S) {
    RewriteTarget &Target = All.emplace_back();
    Target.Joint.Name = Structs[S];
    std::vector<AffinityEvidence> Evidence;
    for (const std::vector<RecordInfo> &Build : Records)
      if (!Build[S].Name.empty())
        Evidence.emplace_back().Record = Build[S];
    if (Evidence.size() != Records.size())
      continue; // some configuration does not see it
    auto Joined = orFailure(joinConfigs(std::move(Evidence)));
    if (!Joined)
      return Joined.takeError();
    Target.Units = Probes;
    Target.SourceRoot = SourceRoot;
    Target.Joint = Joined->Joint;
    for (const AffinityEvidence &Config : Joined->Configs)
      Target.Configs.push_back(Config.Record);
    Target.Path = absolutePath(SourceRoot, Target.Joint.File);
    llvm::Expected<std::string> Text = readFile(Target.Path);
    if (!Text)
      return Text.takeError();
    Target.Text = std::move(*Text);
  }
  return All;
}

} // namespace kst
