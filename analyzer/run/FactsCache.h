// SPDX-License-Identifier: GPL-2.0-or-later
//
// Facts of earlier runs on disk, one entry per unit and command, so that a
// rerun over unchanged sources parses nothing. An entry is used only when the
// tool, the command, the directory and every answer of the file system are
// what they were.

#pragma once

#include "analyzer/run/CacheEntry.h"
#include "analyzer/run/FileStates.h"
#include "analyzer/run/RunUnit.h"
#include "hybrid/facts/Facts.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace kst {

/// $XDG_CACHE_HOME/kstatic-affinity, or ~/.cache/kstatic-affinity, or "" when
/// the environment names neither (absolute paths only).
std::string defaultCacheDirectory();

/// Names what a unit's facts are made by: the tool, the command, the directory.
Hash128 unitKey(const RunUnit &Unit, llvm::StringRef ToolId);

struct FactsCacheOptions {
  /// Entries lie in the sub-folder "facts". Empty: nothing is kept.
  std::string Directory;
  /// Version and build of the tool and of clang: facts of another build are
  /// not used.
  std::string ToolId;
  /// trim() keeps the sum of the entries below this.
  uint64_t CapBytes = uint64_t(2) << 30;
  /// Files with other contents than on disk; null: none. Entries made under it
  /// lie beside those of the disk and do not replace them. Must outlive the
  /// cache.
  const FileOverlay *Over = nullptr;
};

/// An entry that held when it was found; stays readable if the file is
/// replaced or removed afterwards.
struct CachedFacts {
  std::unique_ptr<llvm::MemoryBuffer> File;
  CacheEntry Entry;

  /// The facts; or, of a unit that is known to fail, a failure and in Reason
  /// why. Reason stays empty when the entry does not unpack or breaks a rule.
  std::optional<TuFacts> load(std::string &Reason) const;
};

/// Safe against other processes on the same directory: entries appear by
/// rename and are never changed in place. Damaged entries are misses. The
/// object itself is not thread-safe.
class FactsCache {
public:
  explicit FactsCache(FactsCacheOptions Options);

  bool enabled() const { return !Folder.empty(); }

  /// The entry of the unit, if it holds now. Files are looked at once in the
  /// life of this object. Marks the entry as used.
  std::optional<CachedFacts> find(const RunUnit &Unit);

  /// Keeps facts for later runs; makes the folder when it is not there. May
  /// be called in a forked child.
  llvm::Error store(const RunUnit &Unit,
                    llvm::ArrayRef<Dependency> Dependencies,
                    llvm::StringRef Facts) const;

  /// The same for a unit that does not parse, so that a rerun need not find
  /// out again. Not for crashes and timeouts: they may not happen again.
  llvm::Error storeFailure(const RunUnit &Unit,
                           llvm::ArrayRef<Dependency> Dependencies,
                           llvm::StringRef Reason) const;

  /// Removes the entries used longest ago until the cap holds, and what
  /// processes that died while writing left behind.
  void trim() const;

  /// Removes half-written files of this object and its forked copies.
  void removeTemporaries() const;

private:
  Hash128 key(const RunUnit &Unit) const { return unitKey(Unit, ToolId); }
  std::optional<CachedFacts> findAt(const Hash128 &Key);
  std::string entryPath(const Hash128 &Key) const;

  std::string Folder; ///< empty: disabled
  std::string ToolId;
  uint64_t CapBytes;
  bool Overlaid;
  std::string TemporaryTag; ///< in the names of our half-written files
  FileStates States;
};

} // namespace kst
