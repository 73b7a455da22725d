// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a profile spells the files of the source, in the spelling of the
// analysis. Compilers note names as the build gave them, mostly relative to a
// build directory elsewhere: "../../linux/mm/slub.c" is mm/slub.c. Where it was
// is not in the profile; files that both sides have tell.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kst {

class SourcePaths {
public:
  /// Files that have the same function: as recorded, as analysed.
  using Pairs = std::set<std::pair<std::string, std::string>>;

  /// Each pair that ends alike says which beginning stands for which, if the
  /// file is below the top of the analysed source: else its name is absolute,
  /// and nothing says how much of it is the place of the source. One is
  /// believed if it gives nine of ten recorded files with that beginning their
  /// analysed name: a few functions may have been found in the wrong file.
  explicit SourcePaths(const Pairs &Known);

  /// The analysis' name of a file: the one it is known by, else by the
  /// beginning that most files believe in. Where there is none, as recorded.
  std::string analysed(const std::string &Recorded) const;

private:
  struct Beginning {
    std::string Recorded, Analysed; ///< empty, or to a '/'
    size_t Files = 0;               ///< that agree
  };
  static bool applies(const Beginning &To, std::string_view Recorded);
  static std::string apply(const Beginning &To, std::string_view Recorded);

  Pairs Known;
  std::vector<Beginning> Believed; ///< the one with most files first
};

} // namespace kst
