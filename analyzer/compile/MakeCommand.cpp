// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/MakeCommand.h"

#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace kst {

/// ARCH= where it is not the machine's own.
static StringRef foreignArch(const KernelConfig &Config) {
  const Triple Here(sys::getProcessTriple());
  if (Config.holds("CONFIG_ARM64"))
    return Here.isAArch64() ? "" : "arm64";
  if (Config.holds("CONFIG_ARM"))
    return Here.isARM() ? "" : "arm";
  if (Config.holds("CONFIG_RISCV"))
    return Here.isRISCV() ? "" : "riscv";
  if (Config.holds("CONFIG_X86"))
    return Here.isX86() ? "" : "x86";
  return "";
}

std::string makeCommand(const SourceTree &Tree, const KernelConfig &Config,
                        StringRef Target) {
  std::string Out = "make";
  if (Tree.ObjectRoot != Tree.SourceRoot)
    Out += " O=" + Tree.ObjectRoot;
  if (StringRef Arch = foreignArch(Config); !Arch.empty())
    Out += (" ARCH=" + Arch).str();
  // CONFIG_CC_VERSION_TEXT="aarch64-linux-gnu-gcc (Debian 12.2.0) 12.2.0"
  auto [Compiler, Rest] =
      Config.get("CONFIG_CC_VERSION_TEXT").trim('"').split(' ');
  if (Config.holds("CONFIG_CC_IS_GCC")) {
    if (Compiler.consume_back("-gcc"))
      Out += (" CROSS_COMPILE=" + Compiler + "-").str();
  } else
    Out += " LLVM=1";
  if (!Target.empty())
    Out += " " + Target.str();
  return Out;
}

} // namespace kst
