// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SeenBy.h"

#include "analyzer/compile/SeeingUnits.h"

#include "llvm/ADT/StringSet.h"

namespace kst {

static constexpr size_t Named = 3;

static Onlookers onlookers(const AnalyzeRequest &Asked, const Config &In,
                           const RecordInfo &Record,
                           const std::string &Header) {
  Onlookers Answer;
  Answer.Config = In.Name;
  DatabaseOptions Build = unitsOf(Asked, In.Build);
  Build.Exclude.clear(); // whoever leaves a unit out has not looked at it
  SeeingUnits Found = unitsThatSee(Build, Header);
  Answer.Unknown = Found.Unknown;
  Answer.AtMost = Found.AtMost;
  Answer.Units = static_cast<uint32_t>(Found.Units.size());
  llvm::StringSet<> Looked;
  for (const RunUnit &Unit : In.Session.Commands)
    Looked.insert(Unit.Relative);
  for (const std::string &Unit : Found.Units)
    if (!Looked.contains(Unit)) {
      ++Answer.Missed;
      if (Answer.Some.size() < Named)
        Answer.Some.push_back(Unit);
    }
  Answer.Command = "kstatic-affinity --struct " + Record.Name +
                   (In.Build.empty() ? "" : " -p " + In.Build) + " .";
  return Answer;
}

std::vector<Onlookers> seenBy(const AnalyzeRequest &Asked, const Configs &All,
                              const StructInConfigs &Struct) {
  const RecordInfo &Record = Struct.Evidence.Joint;
  std::vector<Onlookers> Found;
  for (const Config *In : Struct.Where)
    Found.push_back(onlookers(Asked, *In, Record, All.headerOf(Record)));
  return Found;
}

} // namespace kst
