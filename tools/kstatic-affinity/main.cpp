// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of commands.

#include "tools/support/CommandLine.h"

namespace kst {

/// The commands, in the order of --help. Each file XCommand.cpp defines its
/// own.
extern const MakeCommand MakeAnalyze, MakePlace, MakeSurvey, MakeSharing,
    MakeIndex, MakeReview, MakeCheck, MakeProfileRecord, MakeProfileImport,
    MakeProfileMerge, MakeProfileDownsample, MakeProfileShow, MakeTraceRecord,
    MakeTraceImport, MakeTraceDump, MakeDprof, MakeIsolationMap,
    MakeIsolationImpact, MakeIsolationPlan, MakeIsolationVerify,
    MakeIsolationGlobals, MakeColourReplay, MakeColourHeat, MakeColourGeometry,
    MakeContextsGraph, MakeContextsReport, MakeContextsReplay;

} // namespace kst

int main(int Argc, char **Argv) {
  using namespace kst;
  static const Tool Program{
      "kstatic-affinity",
      "Which fields of a kernel struct are used together, and in which order "
      "they\nshould lie.",
      "analyze",
      {MakeAnalyze,
       MakePlace,
       MakeSurvey,
       MakeSharing,
       MakeIndex,
       MakeReview,
       MakeCheck,
       MakeProfileRecord,
       MakeProfileImport,
       MakeProfileMerge,
       MakeProfileDownsample,
       MakeProfileShow,
       MakeTraceRecord,
       MakeTraceImport,
       MakeTraceDump,
       MakeDprof,
       MakeIsolationMap,
       MakeIsolationImpact,
       MakeIsolationPlan,
       MakeIsolationVerify,
       MakeIsolationGlobals,
       MakeContextsGraph,
       MakeContextsReport,
       MakeContextsReplay,
       MakeColourReplay,
       MakeColourHeat,
       MakeColourGeometry},
      {{"profile thin", "profile downsample"},
       {"isolation blast", "isolation impact"}}};
  return runTool(Program, Argc, Argv);
}
