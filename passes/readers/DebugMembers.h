// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of a struct's members out of a program's debug information: counters
// know bytes only.

#pragma once

#include "hybrid/core/MemberName.h"

#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace kst {

/// The members of a struct or union at any depth, those of unnamed ones as its
/// own.
MemberNames membersOf(llvm::DWARFDie Record);

/// A struct as profiles name it.
using SizedStruct = std::pair<std::string, uint64_t>; ///< name, size in bytes

/// The members of each of these structs, at any depth, of the first definition
/// that the file has of that name and size; structs that it does not describe
/// are missing. An error names a file that is no ELF file, or says why debug
/// information, or a part of it, cannot be read. Reads DWARF until all are
/// found.
llvm::Expected<std::map<SizedStruct, MemberNames>>
debugMembers(const std::string &File, std::set<SizedStruct> Structs);

} // namespace kst
