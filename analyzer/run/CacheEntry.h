// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bytes of one cache entry: the questions a parse asked the file system,
// and the facts it gave. Foreign bytes: anything may be in the file.

#pragma once

#include "analyzer/run/Dependency.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kst {

/// Changes whenever the form of an entry changes. Part of cache keys.
inline constexpr uint32_t CacheEntryVersion = 1;

/// Dependencies are sorted by path. The facts are compressed (zstd, level 1)
/// where LLVM has zstd.
std::string encodeCacheEntry(const Hash128 &Key,
                             llvm::ArrayRef<Dependency> Dependencies,
                             llvm::StringRef Facts);

/// A view of an entry whose checksum is right and whose key is the one asked
/// for. Refers to the bytes it was made from.
class CacheEntry {
public:
  /// Nothing when the bytes are no such entry.
  static std::optional<CacheEntry> open(llvm::StringRef Bytes,
                                        const Hash128 &Key);

  /// Calls Each for every dependency, in order of paths, until it returns
  /// false. True when all were visited and well-formed. The path is valid
  /// during the call.
  bool forEachDependency(
      llvm::function_ref<bool(llvm::StringRef Path, DependencyKind Kind,
                              uint64_t SizeBytes, const Hash128 &Hash)>
          Each) const;

  /// The bytes that encodeCacheEntry() was given: in Room, or in place when
  /// they were not compressed. Nothing when they do not unpack.
  std::optional<llvm::StringRef>
  facts(llvm::SmallVectorImpl<uint8_t> &Room) const;

private:
  llvm::StringRef Dependencies, Facts;
  uint64_t FactsBytes = 0;
  bool Compressed = false;
};

} // namespace kst
