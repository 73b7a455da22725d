// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line of kst-verify-kernel, parsed and checked.

#ifndef KST_TOOLS_KSTVERIFYKERNEL_OPTIONS_H
#define KST_TOOLS_KSTVERIFYKERNEL_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

namespace kst {

struct VerifyOptions {
  std::vector<std::string> Files;
  std::vector<std::string> Uncounted; ///< must hold no reference at all
  std::vector<std::string> Trees;     ///< build directories
  std::string Json;                   ///< "": none; "-": standard output
  bool Quiet = false;
};

/// On a mistake, prints to stderr what to do and returns nothing.
std::optional<VerifyOptions> parseVerifyOptions(int Argc, char **Argv);

} // namespace kst

#endif
