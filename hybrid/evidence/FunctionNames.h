// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions of a program by the names that measurements give them.

#pragma once

#include "hybrid/program/Program.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kst {

/// Borrows the program.
class FunctionNames {
public:
  explicit FunctionNames(const Program &Whole);

  /// The function of that name in that file; an empty file is any. None: Why
  /// says why, as in ProfileCoverage::NotPlaced.
  FunctionId find(const std::string &Name, const std::string &File,
                  std::string &Why) const;
  /// The functions of a file, spelled as the analysis spells it.
  const std::vector<FunctionId> &inFile(const std::string &File) const;
  /// The only function of that name that other files can call, or None.
  FunctionId external(const std::string &Name) const;
  /// The file of a function, as the analysis spells it.
  const std::string &fileOf(FunctionId Id) const;

private:
  const Program &Whole;
  std::unordered_map<std::string_view, std::vector<FunctionId>> ByName, ByFile;
};

/// Whether two spellings of a file agree: the shorter one's parts, without
/// leading "." and "..", are the last parts of the longer.
bool sameFile(std::string_view A, std::string_view B);

} // namespace kst
