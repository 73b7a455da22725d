// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table of flags: which shape the meaning of a source or the layout of its
// records, and which read or run something foreign. All others concern output,
// warnings, debug information or code generation.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Option.h"

namespace kst {

/// For options without aliases (getUnaliasedOption()), of the driver, of the
/// compiler behind it, or of clang-cl.
bool isForwarded(const llvm::opt::Option &Given);

/// Known flags whose absence a person should hear of: they read or run
/// something that is not part of the program. Name is clang's.
bool isForeign(llvm::StringRef Name);

/// The value of -x under which the parser reads a source of Name; "" if it is
/// not C or C++. To precompile a header is to read it.
llvm::StringRef parsedLanguage(llvm::StringRef Name);

} // namespace kst
