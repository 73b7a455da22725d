// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/SeenBy.h"

#include "analyzer/compile/SeeingUnits.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/StringSet.h"

namespace kst {
namespace {

constexpr size_t Named = 3;

Onlookers onlookers(const Options &Given, const Config &In,
                    const RecordInfo &Record, const std::string &SourceRoot) {
  Onlookers Of;
  Of.Config = In.Name;
  DatabaseOptions Build = selectedUnits(Given);
  Build.BuildDirs.clear();
  Build.Exclude.clear(); // whoever leaves a unit out has not looked at it
  if (!In.Build.empty())
    Build.BuildDirs.push_back(In.Build);
  SeeingUnits Found =
      unitsThatSee(Build, absolutePath(SourceRoot, Record.File));
  Of.Unknown = Found.Unknown;
  Of.AtMost = Found.AtMost;
  Of.Units = static_cast<uint32_t>(Found.Units.size());
  llvm::StringSet<> Looked;
  for (const RunUnit &Unit : In.Session.Commands)
    Looked.insert(Unit.Relative);
  for (const std::string &Unit : Found.Units)
    if (!Looked.contains(Unit)) {
      ++Of.Missed;
      if (Of.Some.size() < Named)
        Of.Some.push_back(Unit);
    }
  Of.Command = "kstatic-affinity --struct " + Record.Name +
               (In.Build.empty() ? "" : " -p " + In.Build) + " .";
  return Of;
}

} // namespace

std::vector<Onlookers> seenBy(const Options &Given, const Configs &All,
                              const StructInConfigs &Of) {
  std::vector<Onlookers> Found;
  for (const Config *In : Of.Where)
    Found.push_back(onlookers(Given, *In, Of.Evidence.Joint, All.sourceRoot()));
  return Found;
}

} // namespace kst
