// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which sources does a kernel directory compile? In a tree that is only
// configured nothing but its kbuild Makefile knows: kernel/sched has thirty C
// files, four are compiled, the others are #included by those.
//
// This is an approximation of make, not make. Understood: obj-y, obj-m,
// obj-$(CONFIG_X), lib-y, core/drivers/net/libs-y, composite objects
// (NAME-y, NAME-objs), sub-directories, = := += ?=, ifeq/ifneq/ifdef/ifndef,
// and the functions addprefix, subst, strip, if, or. Everything else ($(call),
// include, foreach, shell) expands to nothing. Relevant flags (-D -U -I) of
// ccflags-y, subdir-ccflags-y and CFLAGS_x.o are kept.

#pragma once

#include "analyzer/compile/KernelConfig.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace kst {

/// One object that kbuild would compile.
struct KbuildObject {
  std::string Stem; ///< relative to the roots, without `.o`: kernel/sched/fair
  std::string Module;     ///< name of the composite it goes into, or its own
  std::string ModuleFile; ///< the composite, relative to the roots
  bool Loadable = false;  ///< part of a module (obj-m)
  std::vector<std::string> Flags;
};

/// What one Makefile says.
struct KbuildDirectory {
  std::vector<KbuildObject> Objects;
  std::vector<std::string> Subdirs;        ///< relative to the roots
  std::vector<std::string> InheritedFlags; ///< subdir-ccflags-y
};

/// Reads the text of a kbuild file. Dir is the directory relative to the roots
/// ("" for the top); Predefined are variables beyond CONFIG_ (SRCARCH, BITS).
KbuildDirectory
parseKbuildMakefile(llvm::StringRef Text, llvm::StringRef Dir,
                    const SourceTree &Tree, const KernelConfig &Config,
                    const llvm::StringMap<std::string> &Predefined);

} // namespace kst
