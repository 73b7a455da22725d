// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Commands.h"

int main(int Argc, char **Argv) {
  static const kst::Tool Program{
      "kstatic-affinity",
      "Which fields of a kernel struct are used together, and in which order "
      "they\nshould lie.",
      "analyze",
      {kst::MakeAnalyze, kst::MakePlace, kst::MakeProfileImport,
       kst::MakeProfileMerge, kst::MakeProfileThin, kst::MakeProfileShow,
       kst::MakeTraceImport, kst::MakeTraceDump}};
  return kst::runTool(Program, Argc, Argv);
}
