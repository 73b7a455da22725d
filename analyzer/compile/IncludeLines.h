// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a text includes and where a unit looks for it, without preprocessing.

#pragma once

#include "analyzer/compile/CompileDatabase.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

struct IncludeLine {
  llvm::StringRef Name; ///< part of the text
  bool Quoted = false;
};

/// The #include and #include_next lines of a text, under any condition and in
/// comments too. A name that a macro makes is left out.
std::vector<IncludeLine> includeLines(llvm::StringRef Text);

/// Where a unit looks for headers, and which it begins with; absolute paths in
/// the order of its arguments. Directories that are not there are left out.
struct HeaderSearch {
  std::vector<std::string> Directories, Forced;
  bool operator<(const HeaderSearch &Other) const;
};

/// Args: of a compiler that runs in Directory.
HeaderSearch headerSearch(llvm::ArrayRef<std::string> Args,
                          llvm::StringRef Directory);
inline HeaderSearch headerSearch(const CompileUnit &Unit) {
  return headerSearch(Unit.Args, Unit.Directory);
}

} // namespace kst
