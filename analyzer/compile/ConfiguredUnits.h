// SPDX-License-Identifier: GPL-2.0-or-later
//
// The units that a configured kernel consists of, compiled or not: kbuild's
// Makefiles say which, and a command that the build ran says how. Where it ran
// none, compile_commands.template.json does.

#pragma once

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/CommandTemplate.h"
#include "analyzer/compile/KbuildModel.h"
#include "analyzer/compile/KbuildTree.h"
#include "analyzer/compile/KernelConfig.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// What kbuild would compile at or below a path, in order of the sources.
struct ConfiguredListing {
  std::vector<BuildEntry> Entries;
  /// Objects whose source, C or not, the build has yet to make.
  std::vector<std::string> Ungenerated;
  uint64_t OtherLanguages = 0; ///< objects of assembly, Rust and so on
};

class ConfiguredUnits {
public:
  /// TemplateFile may be "". All must outlive this.
  ConfiguredUnits(const SourceTree &Tree, const KernelConfig &Config,
                  const std::string &TemplateFile)
      : Tree(Tree), Config(Config), TemplateFile(TemplateFile) {}

  /// Learns from a command that the build ran: one that make prepare leaves
  /// or else a plain one of Built. The error of the template, if it must be
  /// taken and cannot.
  llvm::Error open(llvm::ArrayRef<BuildEntry> Built);

  /// Relative: a directory or a file, to the roots; "" for all. Of a file that
  /// is not compiled itself: the units of its directory that #include it by
  /// name.
  ConfiguredListing list(llvm::StringRef Relative);

  /// Source of the unit whose flags the others get; "": the template's.
  const std::string &modelSource() const { return ModelSource; }

private:
  bool learnFrom(const BuildEntry &Entry);
  bool learnFromPrepared();
  bool isPlain(const BuildEntry &Entry, llvm::StringRef Stem);
  BuildEntry entryFor(const KbuildObject &Object, std::string File);

  const SourceTree &Tree;
  const KernelConfig &Config;
  const std::string &TemplateFile;
  std::optional<KbuildModel> Model;
  std::optional<CommandTemplate> Template;
  std::string ModelSource;
  std::unique_ptr<KbuildTree> Rules;
};

} // namespace kst
