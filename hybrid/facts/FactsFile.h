// SPDX-License-Identifier: GPL-2.0-or-later
//
// The file form of TuFacts: what a worker sends, the cache keeps and `--facts`
// exchanges. Tables are copied whole; all trust is earned in readFacts().
//
// Little-endian. 40 bytes of header: magic "KSTFACTS", u32 version, u32 number
// of tables, u64 size of the file, u64 XXH3 of everything behind these 8 bytes,
// u32 MainFile, u32 Triple. Then every table: u32 rows, u32 bytes per row, the
// rows, zeros up to a multiple of 8. Tables in the order of TuFacts, without
// Strings; then the lengths of the strings (u32 rows) and their bytes (u8).

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/facts/Facts.h"

#include <string>
#include <string_view>

namespace kst {

/// Changes whenever the bytes or their meaning change. Part of cache keys.
inline constexpr uint32_t FactsFormatVersion = 11;

/// Equal facts give equal bytes, on every run and machine: no padding, pointer
/// or time gets into the file. Tables of 2^32 - 1 rows or more are a
/// programmer's error.
std::string writeFacts(const TuFacts &Facts);

/// The facts that writeFacts() was given. A file that is cut short, damaged,
/// of another version, or that breaks a rule of checkFacts() is a Failure,
/// never undefined behaviour. Takes at most 10 times the memory of Bytes,
/// whatever they say. Any alignment; fastest when Bytes begin at a multiple
/// of 8.
Result<TuFacts> readFacts(std::string_view Bytes);

} // namespace kst
