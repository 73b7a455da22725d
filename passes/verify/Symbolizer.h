// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a place in a section to the symbol it belongs to.

#pragma once

#include "passes/verify/ElfObject.h"

#include <string>

namespace kst {

class Symbolizer {
public:
  /// `Object` must outlive this.
  explicit Symbolizer(const ElfObject &Object);

  struct Place {
    const ElfSymbol *Symbol = nullptr; ///< none before the first of a section
    uint64_t Offset = 0;               ///< from Symbol, else from the section
  };

  /// The last symbol at or before `Value` (as in ElfSymbol) in a section; of
  /// several at one place a function, then the first in the table.
  Place find(uint32_t Section, uint64_t Value) const;

  /// "symbol+0x10", else "section+0x10".
  std::string spell(uint32_t Section, uint64_t Value) const;

private:
  const ElfObject &Object;
  std::vector<const ElfSymbol *> BySection; ///< by section, value, preference
};

} // namespace kst
