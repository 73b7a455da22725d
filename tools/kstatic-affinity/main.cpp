// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Analyze.h"
#include "tools/kstatic-affinity/Interrupt.h"
#include "tools/kstatic-affinity/ProfileCommands.h"

int main(int Argc, char **Argv) {
  kst::exitWhenInterrupted();
  std::optional<kst::Options> Given = kst::parseOptions(Argc, Argv);
  if (!Given)
    return kst::ExitUsage;
  switch (Given->What) {
  case kst::Command::Analyze:
    return kst::runAnalyze(*Given);
  case kst::Command::Comments:
    return kst::runComments(*Given);
  case kst::Command::Place:
    return kst::runPlace(*Given);
  case kst::Command::ProfileImport:
    return kst::runProfileImport(*Given);
  case kst::Command::ProfileMerge:
    return kst::runProfileMerge(*Given);
  case kst::Command::ProfileThin:
    return kst::runProfileThin(*Given);
  case kst::Command::ProfileShow:
    return kst::runProfileShow(*Given);
  case kst::Command::TraceDump:
    return kst::runTraceDump(*Given);
  case kst::Command::TraceImport:
    return kst::runTraceImport(*Given);
  case kst::Command::Records:
    return kst::runRecords(*Given);
  case kst::Command::Rewrite:
    return kst::runRewrite(*Given);
  case kst::Command::Check:
    return kst::runCheck(*Given);
  }
}
