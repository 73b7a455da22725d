// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which instructions of a linked image load and store which static data, and
// which code they lead to.

#ifndef KST_PASSES_READERS_DATAUSES_H
#define KST_PASSES_READERS_DATAUSES_H

#include "hybrid/core/DataUse.h"
#include "hybrid/core/ObjectFile.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kst {

/// Of x86-64; none for other machines. Operands that name an address in a data
/// section, by themselves or with a register added; per-CPU data (through a
/// segment register) is left out. Then words of data that have such an address.
/// An address that a register was given above counts as named, and what is
/// passed to a function in a register is used as that function uses it.
/// In the order of addresses in each section. `Symbols`: the file as
/// readImage() has it; of a relocatable file laid out at `Sections`, where its
/// sections are to lie, by number, below 2 GiB, else empty. Edges: whether they
/// are wanted. An error names the file.
llvm::Expected<ImageUses>
readDataUses(const std::string &File, const ObjectFile &Symbols,
             const std::vector<uint64_t> &Sections = {}, bool Edges = false);

} // namespace kst

#endif
