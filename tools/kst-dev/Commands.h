// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of kst-dev, for the table in main.

#ifndef KST_TOOLS_KSTDEV_COMMANDS_H
#define KST_TOOLS_KSTDEV_COMMANDS_H

#include "tools/support/CommandLine.h"

namespace kst {

std::unique_ptr<Command> recordsCommand();
std::unique_ptr<Command> instancesCommand();
std::unique_ptr<Command> rewriteCommand();
std::unique_ptr<Command> commentsCommand();

} // namespace kst

#endif
