// SPDX-License-Identifier: GPL-2.0-or-later
//
// Splits a command line into words the way a POSIX shell quotes them, and
// does nothing else a shell does: no expansion, no substitution, no running.
// Build databases are foreign input; `$(touch x)` in one is seven characters
// and then some, not a command.

#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kst {

/// The simple commands of a shell line, in order: split at unquoted `;`, `&`,
/// `&&`, `|`, `||` and newline, each as its unquoted words. Empty commands are
/// left out. Unbalanced quotes end with the text.
std::vector<std::vector<std::string>> splitShell(llvm::StringRef Text);

/// The first of the simple commands that compiles something: it has more than
/// one word and `-c`, or cl.exe's `/c`, among them. Falls back to the first
/// that is no `cd`, `set` or the like; empty when there is none. What stands
/// before or after it (`set -e;`, `; objtool ...`) is ignored.
std::vector<std::string> compileWords(llvm::StringRef Text);

/// Where that command runs: what the `cd`s before it lead to, relative to where
/// the line starts; "" if there is none. An absolute one is absolute here.
std::string compileDirectory(llvm::StringRef Text);

} // namespace kst
