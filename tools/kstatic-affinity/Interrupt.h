// SPDX-License-Identifier: GPL-2.0-or-later
//
// Control-C ends the tool at once in every stage: one line on stderr, exit
// status 130, no part of a file.

#ifndef KST_TOOLS_INTERRUPT_H
#define KST_TOOLS_INTERRUPT_H

#include "tools/kstatic-affinity/ExitCode.h"

namespace kst {

/// From here on SIGINT, SIGTERM and SIGHUP remove temporary files, print
/// the line and end the process, but where an InterruptGuard holds them back.
/// Signals that are ignored (nohup) stay so. Called once, by main.
void exitWhenInterrupted();

/// The line, for what an InterruptGuard has caught.
ExitCode interruptedExit();

} // namespace kst

#endif
