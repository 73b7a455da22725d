// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where LLVM 19 and 22 differ for this folder: the driver's option table moved
// to a library of its own.

#pragma once

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR >= 22
#include "clang/Options/Options.h"
#else
#include "clang/Driver/Options.h"
#endif

namespace kst::compat {

#if LLVM_VERSION_MAJOR >= 22
namespace options = clang::options;
inline const llvm::opt::OptTable &driverOptions() {
  return clang::getDriverOptTable();
}
#else
namespace options = clang::driver::options;
inline const llvm::opt::OptTable &driverOptions() {
  return clang::driver::getDriverOptTable();
}
#endif

} // namespace kst::compat
