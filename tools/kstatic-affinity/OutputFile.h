// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files that are either complete or not there.

#ifndef KST_TOOLS_OUTPUTFILE_H
#define KST_TOOLS_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kst {

/// Writes Text to File through a temporary file beside it and a rename, so
/// that a reader sees the old content or the new, never a part. "-" is stdout.
/// A device or FIFO is written to directly.
llvm::Error writeFile(const std::string &File, llvm::StringRef Text);

} // namespace kst

#endif
