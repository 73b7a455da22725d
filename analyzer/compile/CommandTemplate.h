// SPDX-License-Identifier: GPL-2.0-or-later
//
// Compile commands for a kernel tree of whose build no command is left:
// compile_commands.template.json says how each architecture compiles a file.

#pragma once

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/JsonDatabase.h"
#include "analyzer/compile/KbuildMakefile.h"
#include "analyzer/compile/KernelConfig.h"

#include <map>
#include <string>

namespace kst {

/// One architecture's entry of the template. Placeholders in its words:
///   @KSRC@ @KOBJ@   the roots
///   @FILE@ @OBJECT@ the source (absolute) and the object
///   @DIR@           directory of its Makefile, relative to the roots
///   @BASENAME@ @MODNAME@ @MODFILE@  as in KBUILD_BASENAME and so on
///   @CCFLAGS@       (a word of its own) the flags of the Makefiles
///   @IF:CONFIG_X@word, @IF:!CONFIG_X@word  a word under a condition
/// Unknown placeholders stay as they are.
struct CommandTemplate {
  JsonCommand Entry;

  /// The N in arch/N that the include paths name, or "".
  std::string sourceArch() const;
};

/// First entry of the template text whose "condition" holds in Config.
llvm::Expected<CommandTemplate> chooseTemplate(llvm::StringRef Text,
                                               const KernelConfig &Config);

/// The command for one object whose source is File (absolute).
CompileCommand expandTemplate(const CommandTemplate &Template,
                              const KbuildObject &Object,
                              const std::string &File, const SourceTree &Tree,
                              const KernelConfig &Config);

} // namespace kst
