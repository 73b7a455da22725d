// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kst-layout/Solve.h"

#include "hybrid/layout/Advise.h"
#include "hybrid/layout/FieldOffsets.h"

#include <nlohmann/json.hpp>

#include <ctime>

namespace kst {

using nlohmann::ordered_json;

namespace {

/// CPU time of this process so far, in seconds.
double cpuSeconds() {
  timespec Now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) +
         1e-9 * static_cast<double>(Now.tv_nsec);
}

/// The instance's constants, and none of the defaults for users.
LayoutOptions layoutOptions(const Instance &P, const SolveOptions &Options) {
  LayoutOptions How;
  How.LineBytes = P.LineBytes;
  How.InstanceAlignBytes = P.InstanceAlignBytes;
  How.FenceAlignBytes = P.AnchorAlignBytes;
  How.LambdaShare = P.LambdaShare;
  How.LambdaRemote = P.LambdaRemote;
  How.LambdaPad = P.LambdaPad;
  How.UnknownRemoteShare = P.UnknownRemoteShare;
  How.RemotePairShare = P.RemotePairShare;
  How.FieldsPerLine = P.FieldsPerLine;
  How.KeepBelow = 0;
  How.SurviveAtLeast = 0;
  How.Seed = Options.Seed;
  if (Options.Steps)
    How.Budget = *Options.Steps;
  How.Rules = P.Rules;
  return How;
}

ordered_json costJson(const Cost &Price) {
  return {{"total", Price.total()},
          {"lines", Price.Lines},
          {"sharing", Price.Sharing},
          {"padding", Price.Padding}};
}

ordered_json layoutJson(const Layout &Plan, const Cost &Price) {
  return {{"order", Plan.Order},
          {"size_bytes", Plan.SizeBytes},
          {"cost", costJson(Price)}};
}

} // namespace

Result<std::string> solve(const Instance &P, const SolveOptions &Options) {
  if (std::string Mismatch = offsetMismatch(P.Record); !Mismatch.empty())
    return Failure{Mismatch};
  AffinityEvidence Evidence;
  Evidence.Record = P.Record;
  Evidence.Fields.resize(P.Record.Fields.size());
  Evidence.Sets = P.Sets;
  LayoutOptions How = layoutOptions(P, Options);

  double Before = cpuSeconds();
  Advice Found = advise(Evidence, How);
  double Seconds = cpuSeconds() - Before;

  ordered_json Out{{"schema", "kst-layout/1"}, {"name", P.Name}};
  const ScoredLayout &Best = Found.Proposed;
  Out.update(layoutJson(Best.Plan, Best.Price));
  Out["lower_bound"] = Best.LowerBound;
  Out["gap"] = Best.Gap;
  Out["proven"] = Best.Gap <= 1e-9;
  if (Options.Times)
    Out["cpu_seconds"] = Seconds;
  Out["current"] = layoutJson(Found.Current.Plan, Found.Current.Price);
  return Out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

} // namespace kst
