// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the bytes of a struct lie in another order of its fields.

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

/// Bytes of a struct that stay beside one another.
struct MovedBytes {
  uint32_t FromBytes, ToBytes, SizeBytes;
};

class ByteOrder {
public:
  /// Out of a report of the main command (schema/kst-report-1.schema.json, or
  /// one of several structs): its proposed order of `Struct`, or of its only
  /// struct if that is empty. Padding moves with the field before it. A failure
  /// says what the report lacks, or that the proposed order needs more bytes
  /// than the present one: objects would overlap.
  static Result<ByteOrder> read(std::string_view Report, std::string Struct);

  /// Runs of bytes that cover [OffsetBytes, OffsetBytes + SizeBytes) of an
  /// object, in their new places. An access to bytes outside of the struct, or
  /// to all of it, stays where it is.
  template <typename F>
  void forEachRun(uint32_t OffsetBytes, uint32_t SizeBytes, F &&Take) const {
    const uint64_t End = uint64_t(OffsetBytes) + SizeBytes;
    if (End > To.size() || (OffsetBytes == 0 && End == To.size())) {
      Take(OffsetBytes, SizeBytes);
      return;
    }
    for (uint32_t Begin = OffsetBytes; Begin < End;) {
      uint32_t Next = Begin + 1;
      while (Next < End && To[Next] == To[Next - 1] + 1)
        ++Next;
      Take(To[Begin], Next - Begin);
      Begin = Next;
    }
  }
  const std::string &structName() const { return Name; }
  uint32_t sizeBytes() const { return uint32_t(To.size()); }
  uint64_t movedBytes() const;
  /// Fields by offset, as the report names them.
  struct Field {
    std::string Name;
    uint32_t OffsetBytes, SizeBytes;
  };
  const std::vector<Field> &fields() const { return Fields; }

private:
  std::string Name;
  std::vector<Field> Fields;
  std::vector<uint32_t> To; ///< [byte]: its new place
};

} // namespace kst
