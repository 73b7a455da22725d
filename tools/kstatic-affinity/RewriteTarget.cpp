// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/RewriteTarget.h"

#include "hybrid/layout/JoinedConfigs.h"
#include "tools/kstatic-affinity/FactsSession.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace kst {

llvm::Error rewriteFailure(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s",
                                 Why.str().c_str());
}

std::string sourcePath(const std::string &Root, const std::string &File) {
  llvm::SmallString<256> Path(File);
  if (!llvm::sys::path::is_absolute(Path)) {
    Path = Root;
    llvm::sys::path::append(Path, File);
  }
  return std::string(Path);
}

llvm::Expected<std::string> sourceText(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return rewriteFailure(Path + ": " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

llvm::Expected<std::vector<UnitList>> rewriteUnits(const Options &Given) {
  std::vector<std::string> Builds = Given.BuildDirs;
  if (Builds.empty())
    Builds.push_back("");
  std::vector<UnitList> Lists;
  for (const std::string &Build : Builds) {
    DatabaseOptions Where = selectedUnits(Given);
    if (!Build.empty())
      Where.BuildDirs = {Build};
    llvm::Expected<UnitList> List = loadUnits(Where);
    if (!List)
      return List.takeError();
    if (List->Units.empty())
      return rewriteFailure("no unit is selected");
    Lists.push_back(std::move(*List));
  }
  return Lists;
}

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
      auto At = llvm::find_if(
          *Found, [&](const RecordInfo &R) { return R.Name == Name; });
      Records.push_back(At == Found->end() ? RecordInfo() : *At);
    }
    if (!Found->empty())
      return std::pair(std::move(Records), Probe);
  }
  return rewriteFailure(Last);
}

llvm::Expected<std::vector<RewriteTarget>>
rewriteTargets(const Options &Given) {
  auto Lists = rewriteUnits(Given);
  if (!Lists)
    return Lists.takeError();
  std::vector<std::vector<RecordInfo>> Records; // by build
  std::vector<ProbeUnit> Units;
  for (const UnitList &List : *Lists) {
    auto Found = findRecords(List, Given.Structs);
    if (!Found)
      return Found.takeError();
    Records.push_back(std::move(Found->first));
    Units.push_back(Found->second);
  }
  std::vector<RewriteTarget> All;
  for (size_t S = 0; S != Given.Structs.size(); ++S) {
    RewriteTarget Made;
    std::vector<AffinityEvidence> Evidence(Records.size());
    bool Seen = true;
    for (size_t B = 0; B != Records.size(); ++B) {
      Evidence[B].Record = Records[B][S];
      Seen &= !Records[B][S].Name.empty();
    }
    if (!Seen) {
      Made.Joint.Name = Given.Structs[S];
      All.push_back(std::move(Made));
      continue;
    }
    Result<JoinedConfigs> Joined = joinConfigs(std::move(Evidence));
    if (!Joined)
      return rewriteFailure(Joined.error());
    Made.Units = Units;
    Made.SourceRoot = Lists->front().SourceRoot;
    Made.Joint = Joined->Joint;
    for (const AffinityEvidence &Of : Joined->Configs)
      Made.Configs.push_back(Of.Record);
    Made.Path = sourcePath(Made.SourceRoot, Made.Joint.File);
    llvm::Expected<std::string> Text = sourceText(Made.Path);
    if (!Text)
      return Text.takeError();
    Made.Text = std::move(*Text);
    All.push_back(std::move(Made));
  }
  return All;
}

} // namespace kst
