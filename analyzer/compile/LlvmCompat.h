// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where LLVM 19 and 22 differ for this folder: the driver's option table moved
// to a library of its own, and diagnostics own their options no more.

#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
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

/// Diagnostics that nobody hears.
struct SilentDiagnostics {
#if LLVM_VERSION_MAJOR >= 22
  clang::DiagnosticOptions Options;
  clang::DiagnosticsEngine Engine{clang::DiagnosticIDs::create(), Options,
                                  new clang::IgnoringDiagConsumer};
#else
  clang::DiagnosticsEngine Engine{new clang::DiagnosticIDs,
                                  new clang::DiagnosticOptions,
                                  new clang::IgnoringDiagConsumer};
#endif
};

} // namespace kst::compat
