// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where LLVM 19 and 22 differ here.

#pragma once

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace kst::counters {

inline llvm::Function *intrinsic(llvm::Module &M, llvm::Intrinsic::ID Id,
                                 llvm::ArrayRef<llvm::Type *> Types) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&M, Id, Types);
#else
  return llvm::Intrinsic::getDeclaration(&M, Id, Types);
#endif
}

/// The callee does not keep the pointer.
inline void addNoCapture(llvm::CallBase &Call, unsigned Argument) {
#if LLVM_VERSION_MAJOR >= 21
  Call.addParamAttr(
      Argument, llvm::Attribute::getWithCaptureInfo(Call.getContext(),
                                                    llvm::CaptureInfo::none()));
#else
  Call.addParamAttr(Argument, llvm::Attribute::NoCapture);
#endif
}

/// As far as uses in its function tell.
inline bool mayBeCaptured(const llvm::Value *Pointer) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/false);
#else
  return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/false,
                                    /*StoreCaptures=*/true);
#endif
}

inline llvm::Triple targetTriple(const llvm::Module &M) {
  return llvm::Triple(M.getTargetTriple());
}

} // namespace kst::counters
