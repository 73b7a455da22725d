// SPDX-License-Identifier: GPL-2.0-or-later
//
// From PATH arguments and struct names to the commands that are meant. Works
// on lists that were read already; the only files it opens are the ones that
// may define a struct.

#pragma once

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/SourceTree.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// One PATH argument, found on disk.
struct SelectedPath {
  std::string Given;    ///< as typed
  std::string Absolute; ///< links resolved
  std::string Relative; ///< to the source (or object) root; "" is the root
  bool Directory = false;
  bool All = false; ///< a root, or a directory around it: every unit
};

/// Looks for Given from Cwd, then in the source root, then in the object
/// root. Fails when it is nowhere, or is neither a directory nor a file.
llvm::Expected<SelectedPath>
resolvePath(llvm::StringRef Given, const SourceTree &Tree, llvm::StringRef Cwd);

/// True when the entry's source (for a kernel, or its object) lies at or below
/// a directory, or its source is the file, whichever links lead to either.
bool isUnder(const BuildEntry &Entry, const SelectedPath &Path,
             const SourceTree &Tree);

/// True when the entry reads the file, by its dependency list.
bool dependsOn(const BuildEntry &Entry, const SelectedPath &Path,
               const FileNames &Names, const SourceTree &Tree);

/// Sorts by source; of the commands for one source those whose objects have its
/// own name come first. Of a kernel, host programs go when there is kernel
/// code, and code of another machine mode (-m16; -m32 in a 64-bit tree) when
/// there is other code; both are counted in Skipped.
void canonicalise(std::vector<BuildEntry> &Entries, const SourceTree &Tree,
                  bool Is64Bit, std::map<std::string, uint64_t> &Skipped);

/// Removes the entries that a path (as in resolvePath()) selects, or that a
/// pattern with '*', '?' or '[' matches: their whole name relative to the
/// source root or, without '/' in the pattern, the last part of it. Returns how
/// many; an error when the path is nowhere or the pattern is none.
llvm::Expected<size_t> excludeEntries(std::vector<BuildEntry> &Entries,
                                      llvm::StringRef Given,
                                      const SourceTree &Tree,
                                      llvm::StringRef Cwd);

/// Keeps the entries that can see a definition of one of Structs; entries
/// without dependency list are kept. When no file of a long list defines any
/// of them this is an error with the nearest name; a short list is kept whole
/// then, because a macro may spell the definition.
llvm::Error keepDefining(std::vector<BuildEntry> &Entries,
                         const std::vector<std::string> &Structs,
                         const FileNames &Names,
                         std::map<std::string, uint64_t> &Skipped);

} // namespace kst
