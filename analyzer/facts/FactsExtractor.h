// SPDX-License-Identifier: GPL-2.0-or-later
//
// The front end's one entry: a translation unit and its flags in, facts out.

#pragma once

#include "hybrid/facts/Facts.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace kst {

class HeaderIndex;

struct ExtractRequest {
  std::string SourceRoot;        ///< paths below it are recorded relative to it
  std::string Directory;         ///< where relative paths in Args start
  std::vector<std::string> Args; ///< driver arguments without argv[0]
  /// Parse every body instead of only those that the unit can reach. Slower,
  /// same facts: kept to check the optimisation.
  bool Plain = false;
  /// What is known of headers from earlier units; grows. Optional: without it
  /// the headers are looked at anew. Changes the speed, not the facts.
  HeaderIndex *Headers = nullptr;
};

/// Parses one unit and returns its facts: of every function that the unit
/// defines outside of headers, and of every inline function that these can
/// reach. Pure: the same files and request give the same facts. Fails with the
/// first error that the compiler reports; errors in bodies that the unit cannot
/// reach are seen only by a plain request. One call at a time in a process.
llvm::Expected<TuFacts>
extractFacts(const ExtractRequest &Request,
             llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace kst
