// SPDX-License-Identifier: GPL-2.0-or-later
//
// What raw counters and raw traces begin with, and how both say that a file is
// not whole (docs/guide/formats.md).

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace kst {

/// What a record of either file begins with: a hash, a size, a kind.
inline constexpr size_t RawRecordBytes = 16;

struct RawHeader {
  std::map<std::string, std::string> Text; ///< its key=value lines
  size_t Begin = 0;                        ///< of the first record
};

/// What and Is name the file in messages ("raw trace", " is "). Bytes begin
/// with 8 bytes of magic, which the caller has looked at. Other versions, a
/// header that is cut short and a line without a key are a Failure.
Result<RawHeader> readRawHeader(std::string_view Bytes, const std::string &What,
                                const std::string &Is);

/// What is wrong with an end record of Size bytes at At that says that Before
/// bytes are in front of it; empty: it ends a whole file.
std::string wrongRawEnd(std::string_view Bytes, size_t At, size_t Size,
                        uint64_t Before);

/// A file that stops at a record's border, but not at its end.
inline constexpr char NoRawEnd[] =
    "cut short: no end record; the file was not copied or written to its end";

/// The number at At, which is in Bytes.
template <typename T> T rawNumber(std::string_view Bytes, size_t At) {
  T Value;
  memcpy(&Value, Bytes.data() + At, sizeof(T));
  return Value;
}

} // namespace kst
