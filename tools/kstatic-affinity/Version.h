// SPDX-License-Identifier: GPL-2.0-or-later
//
// What this build is.

#ifndef KST_TOOLS_VERSION_H
#define KST_TOOLS_VERSION_H

#include <string>

namespace kst {

std::string toolVersion(); ///< as in CMakeLists.txt
std::string llvmVersion();
/// Tells builds apart that could give different facts for the same source: a
/// hash over the front end's own sources and the versions.
std::string factsBuildId();

} // namespace kst

#endif
