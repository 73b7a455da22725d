// SPDX-License-Identifier: GPL-2.0-or-later
//
// One translation unit as the run sees it: what identifies it in the cache and
// in messages. How it is parsed is the extractor's business.

#pragma once

#include <string>
#include <vector>

namespace kst {

struct RunUnit {
  std::string File;      ///< absolute path of the source
  std::string Relative;  ///< the same below the source root, for people
  std::string Directory; ///< absolute; relative paths in Args start here
  std::vector<std::string> Args; ///< adjusted arguments for clang
};

} // namespace kst
