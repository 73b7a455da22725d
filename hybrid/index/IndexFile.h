// SPDX-License-Identifier: GPL-2.0-or-later
//
// An index as one file, .ksti.
//
// Little-endian. Magic "KSTINDEX", u32 version, u32 number of sections, u64
// size of the file, u64 XXH3 of the section table; the table, 32 bytes for each
// section: u64 offset, u64 bytes, u64 bytes when unpacked, u64 XXH3 of the
// bytes. The sections follow without gaps, each a zstd frame: the head (all of
// Index but the facts, by Archive.h), FactsStore::all() as a facts file
// (FactsFile.h), the rows of its units (Archive.h). Lists of numbers are
// differences, each to the one before.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/index/Index.h"

#include <string>
#include <string_view>

namespace kst {

/// Changes whenever the bytes or their meaning change.
inline constexpr uint32_t IndexFormatVersion = 1;

/// Equal indexes give equal bytes. Level: of zstd; parts that live for seconds
/// want a low one.
std::string writeIndex(const Index &Of, int Level = 9);

/// Fails for what is no index, of another version, cut short, damaged, or
/// breaks a rule; says what to do.
Result<Index> readIndex(std::string_view Bytes);

inline bool looksLikeIndex(std::string_view Bytes) {
  return Bytes.starts_with("KSTINDEX");
}

} // namespace kst
