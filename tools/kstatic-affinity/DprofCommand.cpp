// SPDX-License-Identifier: GPL-2.0-or-later
//
// `dprof`: which types of data miss, why, and through whose hands they go.

#include "analyzer/files/OutputFile.h"
#include "hybrid/pipeline/DataProfiles.h"
#include "tools/support/CacheFlag.h"
#include "tools/support/ReportFlags.h"
#include "tools/support/SourceFlags.h"

namespace kst {
namespace {

class DprofCommand : public StructsCommand {
public:
  DprofCommand()
      : StructsCommand("dprof", "Say which types of data miss caches, and why",
                       "--trace FILE [--cache GEOMETRY] [--view VIEW[,VIEW]] "
                       "[[-p DIR]... PATH...]") {
    Views.separated();
    for (cl::Option &Rare :
         std::initializer_list<std::reference_wrapper<cl::Option>>{
             Threads, Cpus, LiftRule, IndexFile})
      Rare.setHiddenFlag(cl::Hidden);
  }
  llvm::Expected<ExitCode> run() override;

private:
  llvm::Error fill(DprofRequest &Asked);
  llvm::Error fillSource(DprofRequest &Asked);

  Flag<std::string> Trace{
      {Sub, OfAnalysis, "trace", "FILE", "The trace (.kstt)"}};
  CacheFlag Cache{Sub};
  Flag<std::string> Level{{Sub, OfAnalysis, "level", "L",
                           "Whose misses: l1, l2 or llc (default: the last one "
                           "that a CPU has for itself)"}};
  Flag<std::string> Sharing{
      {Sub, OfAnalysis, "sharing", "RULE",
       "When sharing is true: judged at-miss or over the lifetime of a line"},
      "at-miss"};
  Flag<std::string> Latency{
      {Sub, OfAnalysis, "latency", "WHO=N[,WHO=N]",
       "Cycles for what l1, l2, remote, llc or memory serves"}};
  ListFlag Views{{Sub, OfAnalysis, "view", "VIEW[,VIEW]",
                  "profile, misses, working-set or flow (default: all)"}};
  Flag<std::string> Type{
      {Sub, OfAnalysis, "type", "NAME", "Details of this type only"}};
  ListFlag Binaries{{Sub, OfAnalysis, "binary", "FILE",
                     "Its debug information names fields; may be repeated"}};
  ListFlag WhatIf{{Sub, OfAnalysis, "what-if", "REPORT.json",
                   "Replay the orders that --struct proposed, beside what it "
                   "says of the source; may be repeated"}};
  Flag<unsigned> Hottest{
      {Sub, OfAnalysis, "hottest", "N",
       "With PATH: analyze the source of so many types (default 5)"},
      5};
  Flag<std::string> Diff{
      {Sub, OfAnalysis, "diff", "OTHER", "Another trace to compare with"}};
  Flag<std::string> Dot{
      {Sub, OfOutput, "dot", "FILE", "Write the paths of objects as DOT"}};
  ReportFlags Files{Sub};
};

/// With words that are no options: the source that they select.
llvm::Error DprofCommand::fillSource(DprofRequest &Asked) {
  if (Paths.empty()) {
    using OptionRef = std::reference_wrapper<const cl::Option>;
    for (const cl::Option &Needs : std::initializer_list<OptionRef>{
             Structs, BuildDirs, Exclude, Hot, Profiles, References, Threads,
             Pins, LiftRule, Users, Contention, CacheLine, IndexFile, Hottest})
      if (Needs.getNumOccurrences())
        return usageError((Needs.ArgStr.size() > 1 ? "--" : "-") +
                          Needs.ArgStr +
                          " goes with the source to analyze: PATH...");
    return llvm::Error::success();
  }
  if (!Hottest)
    return usageError("--hottest takes a number from 1");
  Asked.Hottest = Hottest;
  Asked.Source.emplace();
  if (llvm::Error E = StructsCommand::fill(*Asked.Source))
    return E;
  Asked.Source->Layout.LineBytes = Asked.Caches.LineBytes;
  return llvm::Error::success();
}

llvm::Error DprofCommand::fill(DprofRequest &Asked) {
  if (Trace.empty())
    return usageError("usage: kstatic-affinity dprof " + Usage);
  if (Trace == "-" && Diff == "-")
    return usageError("--trace and --diff cannot both be standard input");
  Asked.Trace = Trace;
  auto Caches = Cache.geometry(CacheLine);
  if (!Caches)
    return Caches.takeError();
  Asked.Caches = *Caches;
  Asked.Level = Level;
  Asked.Sharing = Sharing;
  Asked.Latency = Latency;
  auto On = machine();
  if (!On)
    return On.takeError();
  Asked.On = std::move(*On);
  Asked.Cpus = Cpus.given() ? Cpus : ServerCpus;
  Asked.Views.Type = Type;
  if (!Views.empty()) {
    DprofViews &To = Asked.Views;
    To.Profile = To.Misses = To.WorkingSet = To.Flow = false;
    for (const std::string &View : Views)
      if (View == "profile")
        To.Profile = true;
      else if (View == "misses")
        To.Misses = true;
      else if (View == "working-set")
        To.WorkingSet = true;
      else if (View == "flow")
        To.Flow = true;
      else
        return usageError("--view takes profile, misses, working-set or flow, "
                          "not '" +
                          View + "'");
  }
  Asked.WhatIf = WhatIf.all();
  if (llvm::Error E = fillSource(Asked))
    return E;
  Asked.Diff = Diff;
  Asked.Binaries = Binaries.all();
  Asked.Quiet = Quiet;
  OutputFiles More;
  if (Dot.given())
    More.push_back({"--dot", Dot});
  std::vector<std::string> Inputs =
      Asked.Source ? inputs(*Asked.Source) : std::vector<std::string>();
  llvm::append_range(Inputs, WhatIf);
  llvm::append_range(Inputs, Binaries);
  Inputs.insert(Inputs.end(), {Trace, Diff});
  return Files.check(More, Inputs);
}

llvm::Expected<ExitCode> DprofCommand::run() {
  DprofRequest Asked;
  if (llvm::Error E = fill(Asked))
    return E;
  auto Report = dataProfile(Asked);
  if (!Report)
    return Report.takeError();
  if (Dot.given())
    if (llvm::Error E = writeFile(Dot, toDot(*Report)))
      return E;
  if (llvm::Error E = Files.write(
          {describe(*Report)}, [&] { return toJson(*Report); }, Quiet))
    return E;
  return ExitDone;
}

} // namespace

extern const MakeCommand MakeDprof = make<DprofCommand>;

} // namespace kst
