// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the compiler puts the fields of a record for any order of them. This
// is the ground the optimiser stands on: an offset that the compiler would not
// give makes every number after it worthless.
//
// The rules are those of the Itanium C++ ABI as clang and gcc apply them to C
// on SysV x86-64, AArch64 and ARM (AAPCS):
//  - a field starts at the next multiple of its alignment;
//  - a bit-field starts at the very next bit, unless it would then cross a
//    boundary of its declared type's storage unit: then at the next multiple
//    of that type's alignment; a packed one never moves; one with an explicit
//    alignment starts at a multiple of it; one of width zero only aligns;
//  - the record ends at the next multiple of its alignment, and so does an
//    anonymous struct in it (RecordInfo::Groups), which also begins at one.
// The targets differ in what an *unnamed* bit-field adds to the alignment of
// the record (AAPCS: its type's alignment; SysV: nothing). Alignment does not
// depend on the order of fields, so RecordInfo::AlignBytes settles that.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/Record.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kst {

/// Offsets of the fields of one record for any order. Pure; safe to share
/// between threads. Holds no reference to the record it was made from.
class FieldOffsets {
public:
  explicit FieldOffsets(const RecordInfo &Record);

  /// The layout of `Order`, a permutation of 0..fields-1.
  Layout layout(std::span<const uint32_t> Order) const;

  /// As layout(), into storage of the caller. `OffsetBits` is indexed by
  /// field and resized. Returns the size of the record in bytes.
  uint64_t place(std::span<const uint32_t> Order,
                 std::vector<uint64_t> &OffsetBits) const;

  /// False for a field that the configuration does not have.
  bool present(uint32_t Field) const { return Slots[Field].Present; }
  uint32_t fieldCount() const { return static_cast<uint32_t>(Slots.size()); }

private:
  struct Slot {
    uint64_t SizeBits = 0;
    uint64_t AlignBits = 8;
    uint64_t UnitBits = 0;     ///< bit-field: storage unit; else 0
    uint64_t ExplicitBits = 0; ///< bit-field: asked-for alignment
    uint32_t Group = NoGroup;
    bool Present = true;
  };
  struct Group {
    uint32_t Parent = NoGroup;
    uint64_t AlignBits = 8;
  };
  static uint64_t start(const Slot &S, uint64_t Cursor);
  bool isInside(uint32_t Group, uint32_t Around) const;
  uint64_t pass(uint32_t From, uint32_t To, uint64_t Cursor) const;

  std::vector<Slot> Slots;
  std::vector<Group> Groups;
  uint32_t AlignBytes = 1;
  bool Union = false;
};

/// 0, 1, 2, ...: the order of the definition.
std::vector<uint32_t> declarationOrder(const RecordInfo &Record);

/// The layout that the record itself states.
Layout statedLayout(const RecordInfo &Record);

/// The first difference between the record's own offsets and ours for the
/// order of the definition, in words; empty when there is none.
std::string offsetMismatch(const RecordInfo &Record);

/// True if our rules give exactly the offsets and size that the record
/// states. When false, no order may be proposed for it.
bool reproduces(const RecordInfo &Record);

} // namespace kst
