// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is to be reviewed: a source tree before and after, as the files in which
// the two differ from each other or from the tree on disk.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace kst {

/// A file in both states; no text: it is not there.
struct ChangedFile {
  std::string Name; ///< relative to the source root
  std::optional<std::string> Base, Head;
  /// False: only the tree on disk is different.
  bool changed() const { return Base != Head; }
};

struct SourceChange {
  std::string Base, Head;              ///< what people call the two states
  std::vector<ChangedFile> Files;      ///< by name
  std::vector<std::string> Notes = {}; ///< on how it was read, for people
};

/// `Asked` is BASE..HEAD or BASE...HEAD with revisions of git, OLD..NEW with
/// two directories, or the name of a patch ("-": standard input), with any
/// prefixes of its names: the tree says which these are. Directories may hold a
/// part of a tree: what neither has is taken from `Root`, absolute, the tree
/// that the build directories are about. A patch is against that tree, or in it
/// already. Runs git for all but directories. The error says what to do.
llvm::Expected<SourceChange> readChange(const std::string &Asked,
                                        const std::string &Root);

/// Parts of readChange().
llvm::Expected<SourceChange> changeOfRevisions(llvm::StringRef Base,
                                               llvm::StringRef Head,
                                               bool SinceFork,
                                               const std::string &Root);
llvm::Expected<SourceChange> changeOfPatch(const std::string &File,
                                           const std::string &Root);
llvm::Expected<SourceChange> changeOfTrees(const std::string &Old,
                                           const std::string &New,
                                           const std::string &Root);

} // namespace kst
