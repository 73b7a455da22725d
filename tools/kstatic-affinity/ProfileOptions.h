// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the commands profile and trace take from the command line.

#ifndef KST_TOOLS_PROFILEOPTIONS_H
#define KST_TOOLS_PROFILEOPTIONS_H

#include "tools/kstatic-affinity/Flags.h"
#include "tools/kstatic-affinity/Options.h"

#include <optional>

namespace kst {

/// Takes `profile import` and its like off the front of the positional words.
/// Nothing if it is none of them.
std::optional<Command> takeProfileCommand(std::vector<std::string> &Words);

/// Whether the command line makes sense as far as profiles and traces are
/// concerned; says what is wrong.
bool checkProfileOptions(const Flags &From, const Options &Given);

} // namespace kst

#endif
