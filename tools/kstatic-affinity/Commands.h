// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of the tool, for the table in main.

#ifndef KST_TOOLS_KSTATICAFFINITY_COMMANDS_H
#define KST_TOOLS_KSTATICAFFINITY_COMMANDS_H

#include "tools/support/CommandLine.h"

namespace kst {

std::unique_ptr<Command> analyzeCommand();
std::unique_ptr<Command> placeCommand();
std::unique_ptr<Command> profileImportCommand();
std::unique_ptr<Command> profileMergeCommand();
std::unique_ptr<Command> profileThinCommand();
std::unique_ptr<Command> profileShowCommand();
std::unique_ptr<Command> traceImportCommand();
std::unique_ptr<Command> traceDumpCommand();

} // namespace kst

#endif
