// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files of this moment, each looked at once per run: neighbouring units
// depend on nearly the same 1,500 headers and several thousand missing ones.

#pragma once

#include "analyzer/run/Dependency.h"
#include "analyzer/run/FileOverlay.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace kst {

/// Contents are compared by hash, never by time stamp: reading the headers of
/// 47 kernel units takes less than 0.1 s, and then there is no rule about
/// racy time stamps, clock skew, or `touch`. Not thread-safe.
class FileStates {
public:
  /// `Over`, if given, hides files of the disk and must outlive this object.
  explicit FileStates(const FileOverlay *Over = nullptr) : Over(Over) {}

  /// Whether the question still gets the same answer. The first question
  /// about a path decides for the life of this object.
  bool holds(llvm::StringRef Path, DependencyKind Kind, uint64_t SizeBytes,
             const Hash128 &Hash);

private:
  struct State {
    DependencyKind Kind = DependencyKind::Missing;
    bool Hashed = false; ///< reading was tried
    bool Readable = false;
    uint64_t SizeBytes = 0;
    Hash128 Hash;
  };
  bool sameAnswer(llvm::StringRef Path, DependencyKind Kind,
                  const Hash128 &Hash);
  void look(const char *Path, State &S);
  void readContents(const char *Path, State &S);

  const FileOverlay *Over;
  llvm::StringMap<State> Known;
  llvm::StringMap<Hash128> Listings, Links;
  std::string Buffer;
};

} // namespace kst
