// SPDX-License-Identifier: GPL-2.0-or-later
//
// The texts that a selection of units may read, found without preprocessing:
// what can be said about names before anything is parsed.

#pragma once

#include "analyzer/compile/CompileDatabase.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kst {

/// Sources of units, and what they include whatever the conditions say; an
/// include whose name a macro makes is not followed. A header is looked up
/// with the directories of the first unit that leads to it.
class IncludeGraph {
public:
  struct File {
    std::string Path; ///< absolute
    std::unique_ptr<llvm::MemoryBuffer> Text;
    std::vector<uint32_t> IncludedBy; ///< files
    std::vector<uint32_t> Units;      ///< whose source it is
  };

  /// Reads every file once. What cannot be read is left out.
  explicit IncludeGraph(llvm::ArrayRef<CompileUnit> Units);

  llvm::ArrayRef<File> files() const { return Files; }
  llvm::StringRef text(uint32_t File) const {
    return Files[File].Text->getBuffer();
  }
  /// At most `Count` units that may read the file, those with the fewest steps
  /// of inclusion first.
  std::vector<uint32_t> unitsReading(uint32_t File, size_t Count) const;

private:
  static constexpr uint32_t NoFile = ~0u;
  uint32_t enter(const std::string &Path);
  void follow(uint32_t File, llvm::ArrayRef<std::string> Directories);

  std::vector<File> Files;
  llvm::StringMap<uint32_t> Known; ///< by path; NoFile: not there
  std::vector<uint32_t> Pending;
};

} // namespace kst
