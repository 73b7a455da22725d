// SPDX-License-Identifier: GPL-2.0-or-later
//
// Compile commands for a kernel tree that is configured (`make prepare`) but
// not built: compile_commands.template.json says how each architecture
// compiles a file, the kbuild Makefiles say which files there are.

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
///   @DIR@           directory of the object, relative to the roots
///   @BASENAME@ @MODNAME@ @MODFILE@  as in KBUILD_BASENAME and so on
///   @CCFLAGS@       (a word of its own) the -D -U -I of the Makefile
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

/// Commands for what the Makefiles build at or below Relative (a directory or
/// a file, relative to the source root). A file that is not compiled itself
/// selects the objects of its directory that #include it by name. Objects
/// without a C source are counted in Skipped.
BuildListing listTemplate(const CommandTemplate &Template,
                          llvm::StringRef Relative, const SourceTree &Tree,
                          const KernelConfig &Config,
                          std::map<std::string, uint64_t> &Skipped);

} // namespace kst
