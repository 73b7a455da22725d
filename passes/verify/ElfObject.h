// SPDX-License-Identifier: GPL-2.0-or-later
//
// An ELF file of either size as plain data: what the check needs of it, read
// with every error caught. LLVM's own ObjectFile ends the process on broken
// relocations; this reads through ELFFile, which returns them.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace kst {

/// "No section": undefined, absolute and common symbols.
inline constexpr uint32_t NoSection = ~uint32_t(0);

struct ElfSection {
  llvm::StringRef Name;
  uint64_t Address = 0;
  uint64_t SizeBytes = 0;
  llvm::StringRef Content; ///< empty for SHT_NOBITS
  bool Loaded = false;     ///< SHF_ALLOC
  bool Code = false;       ///< SHF_ALLOC and SHF_EXECINSTR
};

struct ElfSymbol {
  llvm::StringRef Name;
  uint32_t Section = NoSection;
  uint64_t Value = 0; ///< offset in the section; in linked files the address
  uint64_t SizeBytes = 0;
  bool Function = false;
  bool IsSection = false; ///< stands for the section itself
  bool IsFile = false;    ///< names a source file, no place
};

/// One relocation in a loaded section.
struct ElfRelocation {
  uint32_t Section = 0; ///< whose bytes it changes
  uint32_t Symbol = 0;  ///< index in Symbols; 0: none
  uint64_t Offset = 0;
  int64_t Addend = 0; ///< 0 for SHT_REL, whose addends are in the code
  bool PcRelative = false;
};

/// All names and contents point into the buffer that was read.
struct ElfObject {
  enum KindTy { Relocatable, Linked } Kind = Relocatable;
  uint16_t Machine = 0;
  std::vector<ElfSection> Sections;       ///< by ELF index
  std::vector<ElfSymbol> Symbols;         ///< .symtab, by ELF index
  std::vector<ElfRelocation> Relocations; ///< by section, then as stored
};

/// Buffer must outlive the result. An error says what is wrong with the file,
/// not its name: not ELF, truncated, relocations without symbols, ...
llvm::Expected<ElfObject> readElf(llvm::StringRef Buffer);

} // namespace kst
