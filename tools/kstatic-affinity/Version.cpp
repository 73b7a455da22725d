// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Version.h"

#include "FactsBuildId.h"

#include "llvm/Config/llvm-config.h"

namespace kst {

std::string toolVersion() { return KST_VERSION; }
std::string llvmVersion() { return LLVM_VERSION_STRING; }
std::string factsBuildId() {
  return std::string(KST_VERSION) + "/" + LLVM_VERSION_STRING + "/" +
         KST_FACTS_BUILD_ID;
}

} // namespace kst
