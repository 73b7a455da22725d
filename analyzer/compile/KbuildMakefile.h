// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which sources does a kernel directory compile, and with which flags of its
// own? Only its kbuild Makefile knows: kernel/sched has thirty C files, four
// are compiled, the others are #included by those. The rules are those of
// scripts/Makefile.build and scripts/Makefile.lib.

#pragma once

#include "analyzer/compile/Makefile.h"
#include "analyzer/compile/SourceTree.h"

#include <string>
#include <vector>

namespace kst {

/// One object that kbuild would compile.
struct KbuildObject {
  std::string Stem; ///< relative to the roots, without `.o`: kernel/sched/fair
  std::string Directory; ///< of its Makefile, relative to the roots
  /// Name of the composite that it goes into, or its own; several joined
  /// by `:`.
  std::string Module;
  std::string ModuleFile; ///< the composite, relative to the roots
  bool Loadable = false;  ///< part of a module (obj-m)
  /// The shared flags (see KbuildPlace) as the directories and the object
  /// change them.
  std::vector<std::string> Flags;
};

/// A directory that kbuild descends into.
struct KbuildPlace {
  std::string Directory; ///< relative to the roots, "" for the top
  /// obj-y counts here. Where only obj-m leads there, it does not.
  bool BuiltIn = true;
  /// KBUILD_CFLAGS as the directories above leave it, in make's words.
  std::string Flags;
};

/// What one Makefile says. Objects in order, each once.
struct KbuildDirectory {
  std::vector<KbuildObject> Objects;
  std::vector<KbuildPlace> Subdirs;
};

/// Reads the text of a kbuild file. Top has what all directories share:
/// CONFIG_ values, what the top Makefile exports.
KbuildDirectory readKbuildFile(llvm::StringRef Text, const KbuildPlace &Place,
                               const SourceTree &Tree, const MakeHost &Host,
                               const Makefile &Top);

} // namespace kst
