// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the source says a global is. Clang gives an initialised global the type
// of its initialiser, which is a struct without a name as soon as a union or a
// bit-field is in it, and access to its first member then needs no
// getelementptr that would tell.

#pragma once

#include "llvm/IR/GlobalVariable.h"

namespace kst::counters {

/// The named struct, or array of such, that the global was declared as, of the
/// size of its value: from its value type, else from its debug information,
/// else from how other code of the module names its members. Without any of
/// these its value type.
llvm::Type *declaredType(const llvm::GlobalVariable &Global);

} // namespace kst::counters
