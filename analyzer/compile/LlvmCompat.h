// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where LLVM 19 and 22 differ for this folder: the driver's option table
// moved to a library of its own, createInvocation moved into the driver, and
// diagnostic options lost their reference count.

#ifndef KST_ANALYZER_COMPILE_LLVMCOMPAT_H
#define KST_ANALYZER_COMPILE_LLVMCOMPAT_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/Utils.h"
#include "llvm/Config/llvm-config.h"

#include <memory>

#if LLVM_VERSION_MAJOR >= 22
#include "clang/Driver/CreateInvocationFromArgs.h"
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

/// Counted in 19, owned by somebody else's pointer in 22.
#if LLVM_VERSION_MAJOR >= 22
using DiagnosticOptionsPtr = std::shared_ptr<clang::DiagnosticOptions>;
#else
using DiagnosticOptionsPtr = llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions>;
#endif

/// A diagnostics engine that reports to Client, which it does not own. Client
/// and Options must outlive it.
inline llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>
makeDiagnostics(clang::DiagnosticConsumer &Client,
                const DiagnosticOptionsPtr &Options) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> Ids(new clang::DiagnosticIDs);
#if LLVM_VERSION_MAJOR >= 22
  auto *Engine = new clang::DiagnosticsEngine(Ids, *Options, &Client, false);
#else
  auto *Engine = new clang::DiagnosticsEngine(Ids, Options, &Client, false);
#endif
  return llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>(Engine);
}

} // namespace kst::compat

#endif
