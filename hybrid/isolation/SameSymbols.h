// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which symbol of an object file is which of another version of it.

#pragma once

#include "hybrid/core/ObjectFile.h"

#include <string>
#include <vector>

namespace kst {

/// Without the number that compilers put behind names of statics in functions
/// (`counter.2`), which is another one as soon as the file has one more.
std::string unnumbered(const std::string &Name);

/// By number in Old, the number in New; ObjectSymbol::None if it is gone. Those
/// of one name in the order of the files; then what is left, without numbers,
/// if both have as many. Only symbols of sections count.
std::vector<uint32_t> sameSymbols(const ObjectFile &Old, const ObjectFile &New);

/// By number in New: whether Old has it, too.
std::vector<bool> hadSymbols(const ObjectFile &Old, const ObjectFile &New);

} // namespace kst
