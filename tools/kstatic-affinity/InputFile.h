// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files that the command line names to be read: regular ones of a sane size.

#ifndef KST_TOOLS_INPUTFILE_H
#define KST_TOOLS_INPUTFILE_H

#include "llvm/Support/Error.h"

#include <string>

namespace kst {

/// The bytes of File. An error names it and says what is wrong: not there, not
/// a regular file, larger than 16 MiB, not readable.
llvm::Expected<std::string> readFile(const std::string &File);

} // namespace kst

#endif
