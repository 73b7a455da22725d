// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/MakeIndex.h"

#include "analyzer/compile/OffsetsUnits.h"
#include "hybrid/fieldorder/FailureView.h"
#include "hybrid/index/IndexFile.h"
#include "hybrid/pipeline/DaskRun.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/IndexJob.h"
#include "hybrid/pipeline/Preflight.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/program/DemandsOnly.h"

#include <cstring>

namespace kst {

namespace {

/// All but the units.
Index emptyIndex(const std::string &SourceRoot,
                 const std::vector<std::string> &Builds) {
  Index Start;
  const ToolId Tool = thisTool();
  Start.Tool = "kstatic-affinity " + Tool.Version + ", LLVM " + Tool.Llvm;
  Start.FactsId = factsBuildId();
  Start.SourceRoot = SourceRoot;
  Start.Builds = Builds;
  return Start;
}

RunStatistics addUnits(IndexBuilder &To, const IndexJob &Job,
                       const RunOptions &Options) {
  RunOptions Run = Options;
  Run.WithDependencies = true;
  return runUnits(
      Job.Units, makeExtractor(Job.SourceRoot, Job.Plain), Run,
      [&](size_t Number, UnitOutcome Outcome) {
        const RunUnit &Unit = Job.Units[Number];
        const bool Selected = Number < Job.Selected;
        if (!Outcome.Facts && Selected)
          To.addFailed({Unit.Relative, Outcome.Reason});
        // Facts that rest on nobody knows what cannot be used later.
        if (!Outcome.Facts || !Outcome.Dependencies)
          return;
        IndexedUnit New{Unit.Relative, unitKey(Unit, Run.Cache.ToolId), {}};
        for (Dependency &D : *Outcome.Dependencies)
          New.Answers.push_back(To.answer(
              {std::move(D.Path), uint8_t(D.Kind), D.SizeBytes, D.Hash}));
        To.add(std::move(New),
               Selected ? *Outcome.Facts : demandsOnly(*Outcome.Facts));
      });
}

IndexJob jobOf(const UnitsRequest &Asked, const UnitList &List) {
  IndexJob Job{List.SourceRoot, factsBuildId(), Asked.Plain, 0, {}};
  for (const CompileUnit &Unit : List.Units)
    Job.Units.push_back(runUnit(Unit));
  Job.Selected = Job.Units.size();
  for (const CompileUnit &Unit : offsetsUnits(List))
    Job.Units.push_back(runUnit(Unit));
  return Job;
}

llvm::Error addRemote(IndexBuilder &To, const IndexJob &Job,
                      const IndexRequest &Asked, RunStatistics &Statistics) {
  std::vector<std::string> Jobs;
  for (const IndexJob &Part : partJobs(Job))
    Jobs.push_back(writeJob(Part));
  auto Bytes =
      runOnDask({Asked.Driver, Asked.Scheduler, Asked.Program,
                 Asked.WorkerOptions, Asked.Run.Shown, Job.Units.size()},
                Jobs);
  if (!Bytes)
    return Bytes.takeError();
  auto Part = readIndex(*Bytes);
  if (!Part || Part->FactsId != factsBuildId())
    return failure("--dask: the workers' answer cannot be read: " +
                   (Part ? "another build of the tool" : Part.error()));
  To.add(*Part);
  Statistics.Units += Job.Units.size();
  Statistics.Parsed += Part->Units.size();
  return llvm::Error::success();
}

} // namespace

llvm::Expected<IndexAnswer> makeIndex(const IndexRequest &Asked) {
  auto Checked = checkAgainstSources(Asked);
  if (!Checked)
    return Checked.takeError();
  IndexAnswer Answer;
  Answer.Status = Checked->Status;
  IndexBuilder To(
      emptyIndex(Checked->Lists.front().SourceRoot, Asked.Units.BuildDirs));
  const std::string &Root = Checked->Lists.front().SourceRoot;
  for (const UnitList &List : Checked->Lists) {
    if (List.SourceRoot != Root)
      return usageError("one index is of one source tree, not of " + Root +
                        " and " + List.SourceRoot);
    for (const FailedUnit &Failed : List.Failed)
      To.addFailed(Failed);
    const IndexJob Job = jobOf(Asked, List);
    if (!Asked.Scheduler.empty()) {
      if (llvm::Error E = addRemote(To, Job, Asked, Answer.Statistics))
        return E;
      continue;
    }
    RunStatistics Ran = addUnits(To, Job, runOptions(Asked, List.SourceRoot));
    if (Ran.Interrupted)
      return interrupted();
    for (const std::string &Warning : Ran.Warnings)
      Asked.Diags.note("warning: " + Warning);
    Answer.Statistics.Units += Ran.Units;
    Answer.Statistics.CacheHits += Ran.CacheHits;
    Answer.Statistics.Parsed += Ran.Parsed;
  }
  Answer.What = To.finish();
  if (Answer.What.Units.empty())
    return failure("no file could be analysed");
  if (!Answer.What.Failed.empty())
    Asked.Diags.note(
        "warning: " +
        failureSummary(Answer.What.Failed,
                       Answer.What.Units.size() + Answer.What.Failed.size()));
  return Answer;
}

llvm::Expected<std::string> indexPart(std::string_view Bytes, RunOptions Run) {
  auto Job = readJob(Bytes);
  if (!Job)
    return failure(Job.error());
  if (Job->FactsId != factsBuildId())
    return failure("the worker has another build of kstatic-affinity than "
                   "the one that asks");
  Run.Cache.ToolId = factsBuildId() + " " + Job->SourceRoot;
  IndexBuilder To(emptyIndex(Job->SourceRoot, {}));
  if (addUnits(To, *Job, Run).Interrupted)
    return interrupted();
  return writeIndex(To.finish(), 1);
}

llvm::Expected<std::string> joinParts(std::string_view Parts) {
  std::optional<IndexBuilder> To;
  while (!Parts.empty()) {
    uint64_t Size = 0;
    if (Parts.size() >= sizeof(Size))
      memcpy(&Size, Parts.data(), sizeof(Size));
    if (Parts.size() < sizeof(Size) || Size > Parts.size() - sizeof(Size))
      return failure("parts of an index: cut short");
    auto Part = readIndex(Parts.substr(sizeof(Size), Size));
    if (!Part)
      return failure(Part.error());
    if (!To)
      To.emplace(emptyIndex(Part->SourceRoot, {}));
    To->add(*Part);
    Parts.remove_prefix(sizeof(Size) + Size);
  }
  if (!To)
    return failure("no parts of an index");
  return writeIndex(To->finish(), 1);
}

} // namespace kst
