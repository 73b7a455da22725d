// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of a patch taken apart: which files its parts name, and their hunks.
// git, diff, svn, hg and quilt write the heads in different ways; the hunks are
// the same, and mails have text around them.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// What a patch does to one file. Refers to the text of the patch.
struct FilePatch {
  uint32_t Line = 0; ///< of the patch, from 1
  /// Names as written, without quotes and times; "": there is no such file.
  std::string Old, New;
  std::string Index; ///< behind `Index:`, or ""
  bool Git = false;  ///< has a line `diff --git`
  bool Bare = false; ///< that has one name twice: git was told to add no prefix
  bool Renames = false;   ///< Old goes and New is there
  bool Copies = false;    ///< Old stays and New is there
  bool Adds = false;      ///< the file is new, or was empty
  bool Removes = false;   ///< the file goes, or becomes empty
  bool Opaque = false;    ///< binary, or nothing but a mode
  bool NoContext = false; ///< some hunk has only the lines that differ
  bool Inserts = false;   ///< such a hunk has only new ones: it fits anywhere
  bool NoFile = false;    ///< of a symbolic link or a submodule
  std::vector<llvm::StringRef>
      Hunks; ///< lines from each @@ on, with their ends
};

/// The parts in the order of the text; none: it is no patch. Fails with
/// "line N: why" for forms that look like patches and are not unified diffs.
llvm::Expected<std::vector<FilePatch>> parsePatch(llvm::StringRef Text);

/// A name of which so many leading directories are taken off, "." left out; ""
/// when nothing is left, for names with ".." in what is left, and for absolute
/// ones of which nothing is taken.
std::string strippedName(llvm::StringRef Name, unsigned Level);

} // namespace kst
