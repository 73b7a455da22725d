// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a parse asked the file system, and the answer it got. A unit's facts
// hold for as long as every question still has the same answer: that includes
// the headers that were looked for in vain.

#pragma once

#include "hybrid/core/Hash.h"

#include <cstdint>
#include <string>

namespace kst {

enum class DependencyKind : uint8_t {
  Missing,   ///< the look-up failed
  Directory, ///< is a directory
  File,      ///< a regular file of SizeBytes whose contents nobody read
  Contents,  ///< a regular file of SizeBytes with these contents
  Special,   ///< device, FIFO, socket
  Listing, ///< the names in this directory; clang's driver looks for compilers
  Link,    ///< the path without symbolic links
};

struct Dependency {
  std::string Path; ///< absolute; without "." components, ".." as given
  DependencyKind Kind = DependencyKind::Missing;
  uint64_t SizeBytes = 0; ///< File, Contents
  Hash128 Hash;           ///< Contents, Listing, Link; zero: look-up failed
  bool operator==(const Dependency &) const = default;
};

/// The answer of this moment to a question of kind Listing or Link.
Hash128 hashListing(const std::string &Path);
Hash128 hashLink(const std::string &Path);

} // namespace kst
