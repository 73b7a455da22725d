// SPDX-License-Identifier: GPL-2.0-or-later
//
// kst-dev: what only tests and benchmarks ask. No interface of the product.

#include "test/kst-dev/Commands.h"

int main(int Argc, char **Argv) {
  static const kst::Tool Program{
      "kst-dev",
      "What the tests and benchmarks of kstatic-affinity need besides it.",
      nullptr,
      {kst::MakeRecords, kst::MakeInstances, kst::MakeRewrite,
       kst::MakeComments, kst::MakeUnits, kst::MakeSolve, kst::MakeCache,
       kst::MakeEstimate, kst::MakeTraceSample, kst::MakeTraceRead,
       kst::MakePageSample, kst::MakeFrequencies, kst::MakeDebug}};
  return kst::runTool(Program, Argc, Argv);
}
