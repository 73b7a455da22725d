// SPDX-License-Identifier: GPL-2.0-or-later
//
// The globals of an image that code writes to while it runs: what lies on
// which cache line.

#pragma once

#include "hybrid/core/GlobalVariable.h"
#include "hybrid/core/ObjectFile.h"

#include <string>
#include <vector>

namespace kst {

struct Global {
  GlobalVariable Is; ///< as far as debug information knows it
  std::string Section;
  uint32_t Symbol = 0; ///< of the image
  uint64_t end() const { return Is.Address + Is.SizeBytes; }
};

/// By address, none overlaps another. In sections that can be written and stay
/// after the boot; not per CPU, not of threads. `Debug`: by address. File: of
/// local symbols without debug information the name that the object file has.
/// `Inputs`: what the image was linked from as one file, which has sections
/// that the linker joined; null: not known.
std::vector<Global> globalsOf(const ObjectFile &File,
                              const std::vector<GlobalVariable> &Debug,
                              const ObjectFile *Inputs = nullptr);

/// The global around the address, or null.
const Global *globalAt(const std::vector<Global> &All, uint64_t Address);

} // namespace kst
