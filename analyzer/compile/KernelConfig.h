// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration of a kernel tree, as far as choosing compile commands
// needs it: which CONFIG_ names are y, m or have a value.

#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace kst {

/// Values by name with the CONFIG_ prefix. Names that are not set are absent.
struct KernelConfig {
  llvm::StringMap<std::string> Values;

  llvm::StringRef get(llvm::StringRef Name) const;
  /// NAME is y or m; `!NAME` is the opposite; "" always holds.
  bool holds(llvm::StringRef Condition) const;
};

/// Reads the text of .config or include/config/auto.conf.
KernelConfig parseKernelConfig(llvm::StringRef Text);

} // namespace kst
