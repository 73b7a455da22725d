// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/CheckImage.h"

namespace kst {

llvm::Expected<ObjectResult> checkImage(const ElfObject &Object,
                                        llvm::StringRef Name) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "is linked, its relocations are gone: give vmlinux.o of the same build "
      "(beside vmlinux), or the build directory with --tree");
}

} // namespace kst
