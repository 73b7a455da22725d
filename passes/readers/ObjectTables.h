// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the tables of counters are: in section .kst_table of ELF files.

#pragma once

#include "hybrid/import/CounterTable.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kst {

/// All tables of an object file, executable, shared library or vmlinux, of any
/// ELF class, in its order. An error names the file and says what is wrong: not
/// ELF, big-endian, damaged, or without tables.
llvm::Expected<std::vector<CounterTable>>
objectTables(llvm::MemoryBufferRef Object);

/// The same of a regular file, which is mapped, not read.
llvm::Expected<std::vector<CounterTable>> objectTables(const std::string &File);

} // namespace kst
