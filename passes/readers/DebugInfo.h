// SPDX-License-Identifier: GPL-2.0-or-later
//
// The debug information of an image, unit by unit.

#pragma once

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace kst {

/// Of an object that stays as long as what is returned. What is wrong in the
/// debug information is passed over.
std::unique_ptr<llvm::DWARFContext>
debugInfo(const llvm::object::ObjectFile &Object);

/// A file and its debug information.
class DebugInfo {
public:
  /// The failure names the file.
  static llvm::Expected<DebugInfo> open(const std::string &File);

  /// Hands out the top entry of each unit, until Take returns false. Entries
  /// of a unit are gone when the next one comes.
  template <typename F> void forEachUnit(F &&Take) {
    for (const auto &Unit : Context->compile_units()) {
      if (!Take(Unit->getUnitDIE(/*ExtractUnitDIEOnly=*/false)))
        return;
      Unit->clear();
    }
  }

private:
  llvm::object::OwningBinary<llvm::object::ObjectFile> Binary;
  std::unique_ptr<llvm::DWARFContext> Context;
};

} // namespace kst
