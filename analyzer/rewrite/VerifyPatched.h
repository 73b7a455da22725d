// SPDX-License-Identifier: GPL-2.0-or-later
//
// The last word before a patch is given out: the compiler's front end on the
// patched text. The header is overlaid in memory, function bodies are skipped,
// nothing is cached.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/Record.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace kst {

/// A unit that sees the definition. As analyzer/run's RunUnit.
struct ProbeUnit {
  std::string Directory; ///< absolute; relative paths in Args start here
  std::vector<std::string> Args; ///< driver arguments without argv[0]
};

/// A file with other contents than on disk, which units may see through links,
/// or one that is not there.
struct OverlayFile {
  std::string Path; ///< absolute
  std::string Text;
};

/// The records of these names which `File` (relative to SourceRoot if below it;
/// "": any file) defines, as the unit sees them; an error if it does not
/// compile.
llvm::Expected<std::vector<RecordInfo>>
recordsOf(const ProbeUnit &Unit, const std::string &SourceRoot,
          llvm::ArrayRef<std::string> Names, const std::string &File,
          llvm::ArrayRef<OverlayFile> Overlays);

/// Success if the patched record has exactly the fields of `Before` (but those
/// that are Absent) in the order and at the offsets of `Expected`, and its size
/// and alignment. Members without size that `Added` names must be there
/// besides, each once, anywhere. The error names the first difference, or is
/// the first of the compiler's. `After`, if given, is then the patched record
/// without those that were added.
llvm::Error verifyPatched(const ProbeUnit &Unit, const std::string &SourceRoot,
                          const RecordInfo &Before, const Layout &Expected,
                          llvm::ArrayRef<OverlayFile> Overlays,
                          llvm::ArrayRef<std::string> Added = {},
                          RecordInfo *After = nullptr);

} // namespace kst
