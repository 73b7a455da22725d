// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of a struct's members out of a program's debug information: counters
// know bytes only.

#pragma once

#include "hybrid/core/MemberName.h"

#include "llvm/Support/Error.h"

#include <set>
#include <string>

namespace kst {

/// A struct as profiles name it.
using SizedStruct = std::pair<std::string, uint64_t>; ///< name, size in bytes

/// The members of each of these structs, at any depth, of the first definition
/// that the file has of that name and size; structs that it does not describe
/// are missing. A file that is no ELF file is an error; one without debug
/// information gives nothing. Reads DWARF until all are found.
llvm::Expected<std::map<SizedStruct, MemberNames>>
debugMembers(const std::string &File, std::set<SizedStruct> Structs);

} // namespace kst
