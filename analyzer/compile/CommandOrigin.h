// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who says how a unit is compiled.

#pragma once

namespace kst {

enum class CommandOrigin {
  Own,      ///< the build: it compiled the unit, or would by these words
  Model,    ///< kbuild's rules, and flags of another unit that it compiled
  Template, ///< kbuild's rules, and compile_commands.template.json
};

} // namespace kst
