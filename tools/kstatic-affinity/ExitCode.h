// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the process returns; part of the interface (README, man page).

#ifndef KST_TOOLS_EXITCODE_H
#define KST_TOOLS_EXITCODE_H

namespace kst {

enum ExitCode {
  ExitDone = 0,
  ExitNoResult = 1,
  ExitUsage = 2,
  ExitLowCoverage = 3,
  ExitFailOn = 4,
  ExitInterrupted = 130,
};

} // namespace kst

#endif
