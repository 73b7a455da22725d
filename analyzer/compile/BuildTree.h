// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a build directory offers for analysis, read from the one record it
// has: compile_commands.json, or kbuild's .cmd files below some directory.

#pragma once

#include "analyzer/compile/CommandOrigin.h"
#include "analyzer/compile/CompileCommand.h"
#include "analyzer/compile/SourceTree.h"

#include "hybrid/core/Evidence.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
}

namespace kst {

/// A command and what is known about the files it reads. Where the words of
/// the command are not split yet, Line holds its shell text.
struct BuildEntry {
  CompileCommand Command;
  std::string Line;
  std::string Real; ///< of the source, links resolved; "": as in Command
  CommandOrigin Origin = CommandOrigin::Own;
  /// Numbers of names (see FileNames), sorted: of the files that it read or,
  /// without a build, of all that it may read.
  std::vector<uint32_t> Deps;
  bool DepsKnown = false;
  bool DepsGuessed = false; ///< and more than it will read, perhaps
  bool Kernel = false;      ///< it defines __KERNEL__: not a host program

  const std::string &source() const {
    return Real.empty() ? Command.File : Real;
  }
};

/// Absolute, normal file names, each once.
class FileNames {
public:
  uint32_t number(llvm::StringRef File);
  const std::string &name(uint32_t Number) const { return Names[Number]; }
  size_t size() const { return Names.size(); }
  std::optional<uint32_t> find(llvm::StringRef File) const;

private:
  llvm::StringMap<uint32_t> Numbers;
  std::vector<std::string> Names;
};

/// Entries in no particular order; the same file may be compiled twice.
struct BuildListing {
  std::vector<BuildEntry> Entries;
  std::vector<FailedUnit> Failed;
};

/// Entries of a compile_commands.json, without dependencies. Fails, naming
/// File, when it is not a regular file or not a database.
llvm::Expected<BuildListing> readJsonListing(const std::string &File);

/// Fills in the dependencies of kernel entries that have none yet, from the
/// .cmd files beside their objects where there are any.
void loadDependencies(std::vector<BuildEntry> &Entries, FileNames &Names);

/// Entries of the .cmd files in and below Dir, which is Tree's object root or
/// below it. Does not follow symbolic links, nor enter other object roots.
/// Only C sources; a directory that does not exist has no entries.
BuildListing readCmdListing(const SourceTree &Tree, llvm::StringRef Dir,
                            FileNames &Names);

/// True if kbuild left a .cmd file beside the object (absolute).
bool hasCmdFile(llvm::StringRef Object);

/// Contents of a regular file of any size; an error for everything else
/// (a FIFO is never opened).
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(const std::string &Path);

} // namespace kst
