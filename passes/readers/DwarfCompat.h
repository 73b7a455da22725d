// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where LLVM 19 and 22 read DWARF by different names.

#pragma once

#include "llvm/Config/llvm-config.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFTypeUnit.h"

namespace kst {

/// The unit of the type with that signature, as `Unit` refers to it; nullptr if
/// there is none.
inline llvm::DWARFTypeUnit *typeUnit(const llvm::DWARFUnit &Unit,
                                     uint64_t Signature) {
#if LLVM_VERSION_MAJOR < 22
  return Unit.getContext().getTypeUnitForHash(Unit.getVersion(), Signature,
                                              Unit.isDWOUnit());
#else
  return Unit.getContext().getTypeUnitForHash(Signature, Unit.isDWOUnit());
#endif
}

} // namespace kst
