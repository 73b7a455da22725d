// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who reads and who writes each global, out of the instructions of the image.

#pragma once

#include "hybrid/core/DataUse.h"
#include "hybrid/core/ObjectFile.h"

#include <map>
#include <vector>

namespace kst {

struct GlobalUser {
  uint32_t Function = 0;                     ///< symbol of the image
  uint32_t Loads = 0, Stores = 0, Taken = 0; ///< instructions
  bool Init = false; ///< code that is freed after the boot
};

struct GlobalUse {
  std::vector<GlobalUser> Users; ///< by function
  /// Heat of functions that store to it, and that only load, without code of
  /// the boot. Of those that take the address: what they do with it is not
  /// known.
  double Writes = 0, Reads = 0, Taken = 0;
};

/// By symbol: those that are data, have a size, and lie outside of per-CPU
/// sections.
struct GlobalUses {
  std::map<uint32_t, GlobalUse> Of;
  size_t Instructions = 0;
  size_t Outside = 0; ///< of them, at an address of no symbol
};

/// `Heat`: by symbol of the file.
GlobalUses globalUses(const ObjectFile &File, const std::vector<double> &Heat,
                      const std::vector<DataUse> &Uses);

} // namespace kst
