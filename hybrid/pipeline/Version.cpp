// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Version.h"

#include "FactsBuildId.h"

#include "llvm/Config/llvm-config.h"

namespace kst {

ToolId thisTool() { return {KST_VERSION, LLVM_VERSION_STRING}; }

std::string factsBuildId() {
  return KST_VERSION "/" LLVM_VERSION_STRING "/" KST_FACTS_BUILD_ID;
}

} // namespace kst
