// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sections and symbols out of ELF files and out of members of archives, thin
// ones as well.

#ifndef KST_PASSES_READERS_OBJECTFILES_H
#define KST_PASSES_READERS_OBJECTFILES_H

#include "hybrid/core/ObjectFile.h"

#include "llvm/Support/Error.h"

namespace kst {

/// `dir/file.o`, or `dir/archive.a(member.o)` as linker maps name members. An
/// error names the file; 64-bit little-endian ELF only.
llvm::Expected<ObjectFile> readObjectFile(const std::string &Name);

/// The same of a file; one without symbols has those of its debug file
/// (DebugFile.h). That there is none is an error.
llvm::Expected<ObjectFile> readImage(const std::string &File);

} // namespace kst

#endif
