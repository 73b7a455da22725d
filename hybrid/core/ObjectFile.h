// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sections and symbols of an ELF file, as data: what a linker goes by when it
// places them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

struct ObjectSection {
  std::string Name;
  uint64_t Address = 0, SizeBytes = 0;
  uint64_t AlignBytes = 1; ///< a power of two
  bool Alloc = false, Code = false, Written = false, Merged = false,
       NoBits = false, Tls = false;
  bool Data() const { return Alloc && !Code; }
};

struct ObjectSymbol {
  static constexpr uint32_t None = ~uint32_t(0), Absolute = None - 1,
                            Common = None - 2;
  std::string Name;
  uint64_t Value = 0; ///< offset in its section; in a linked file the address;
                      ///< of Common the alignment
  uint64_t SizeBytes = 0;
  uint32_t Section = None; ///< in Sections, or one of the numbers above
  uint32_t File = None;    ///< of local symbols: the STT_FILE before, in order
  bool Local = false, Function = false, Object = false;
};

/// Empty sections without names keep their numbers: Sections[0] is the null
/// section. Symbols are in the order of the file, without those of files and
/// sections.
struct ObjectFile {
  bool Relocatable = false;
  bool AnyAddress = false; ///< linked, to be loaded where there is room
  /// Of linked files: the address behind the program headers, 0 if they are
  /// not loaded.
  uint64_t HeadersEnd = 0;
  uint64_t HeadersBytes = 0; ///< with those of the segments
  bool Module = false;       ///< relocatable, and a kernel module
  std::vector<ObjectSection> Sections;
  std::vector<ObjectSymbol> Symbols;
  std::vector<std::string> Files; ///< of STT_FILE symbols, in order
};

/// Whether it is a kernel, or a module of one; else a program or a library.
bool isKernel(const ObjectFile &File);

} // namespace kst
