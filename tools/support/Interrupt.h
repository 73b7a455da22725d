// SPDX-License-Identifier: GPL-2.0-or-later
//
// Control-C ends a tool at once in every stage: one line on stderr, exit
// status 130, no part of a file.

#pragma once

namespace kst {

/// From here on SIGINT, SIGTERM and SIGHUP remove temporary files, print
/// "Program: interrupted" and end the process, but where an InterruptGuard
/// holds them back. Signals that are ignored (nohup) stay so. Called once, by
/// main; Program is a literal.
void exitWhenInterrupted(const char *Program);

} // namespace kst
