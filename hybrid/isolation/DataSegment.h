// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where GNU ld begins the data of a program: DATA_SEGMENT_ALIGN,
// DATA_SEGMENT_RELRO_END and DATA_SEGMENT_END of its own linker script, as
// lang_size_relro_segment() and lang_size_segment() of its ldlang.c.

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

/// Both page sizes of x86-64, and of most others.
inline constexpr uint64_t SegmentPage = 0x1000;

/// What decides where data begin.
enum class DataStart : char {
  AsBefore, ///< nobody here knows: at the same place of a page
  Relro,    ///< what becomes read-only is to end with a page
  OldRelro, ///< the same by an ld older than 2.38
  Whole,    ///< nothing becomes read-only; a page may be saved
};

/// An output section between DATA_SEGMENT_ALIGN and DATA_SEGMENT_RELRO_END.
struct RelroSection {
  uint64_t Address = 0, SizeBytes = 0, AlignBytes = 1;
  bool Advances = true; ///< not .tbss
};

/// What lies behind DATA_SEGMENT_ALIGN if data begin at firstDataStart(), which
/// is where ld tries first.
struct DataAhead {
  std::vector<RelroSection> Relro;
  uint64_t RelroEnd = 0;    ///< without the offset
  uint64_t OffsetBytes = 0; ///< of what stays writable, of the same page
  uint64_t End = 0;
};

uint64_t firstDataStart(DataStart Way, uint64_t Dot);
/// A page is saved if the parts of pages at both ends fit into one.
uint64_t wholeDataStart(uint64_t Dot, const DataAhead &Ahead);
uint64_t relroDataStart(const DataAhead &Ahead);
/// Where the location counter goes at DATA_SEGMENT_RELRO_END.
uint64_t relroEnd(uint64_t Dot, uint64_t OffsetBytes);

} // namespace kst
