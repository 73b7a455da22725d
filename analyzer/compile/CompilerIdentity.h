// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a compiler is whose name does not say it: the file is looked at and
// never run. Links lead to another name, a script says in its text what it
// runs, and gcc's driver has its machine among its strings.

#pragma once

#include "analyzer/compile/CompilerWords.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kst {

struct CompilerIdentity {
  CompilerFamily Family = CompilerFamily::Unknown;
  std::string Triple; ///< that it compiles for; "": this machine's
  /// What a script gives to the compiler in front of and behind its own
  /// arguments.
  std::vector<std::string> Before, After;
  /// Folders of the C library that a cross gcc comes with; absolute.
  std::vector<std::string> Headers;
  /// The file is there and says nothing: this machine's was assumed.
  bool Assumed = false;
  /// Why nobody can tell what it compiles for, a phrase; or "".
  std::string Problem;
};

/// Looks at each compiler once.
class CompilerIdentities {
public:
  /// Directory is where a relative name starts; a bare name is looked up in
  /// $PATH. A compiler of C that is called gcc, cc or clang without anything in
  /// front is this machine's if it is not there.
  const CompilerIdentity &of(const Compiler &Named,
                             const std::string &Directory);

private:
  std::map<std::pair<std::string, std::string>, CompilerIdentity> Known;
};

/// The machine in the strings of gcc's driver, or "".
std::string tripleOfDriver(llvm::StringRef Image);

/// The command in which a shell script at `Path` runs a compiler with its own
/// arguments ("$@"), with the variables that it sets; the place of the
/// arguments is one word "$@". Empty if there is none.
std::vector<std::string> commandOfScript(llvm::StringRef Text,
                                         llvm::StringRef Path);

} // namespace kst
