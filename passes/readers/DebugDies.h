// SPDX-License-Identifier: GPL-2.0-or-later
//
// Entries of debug information that describe types.

#pragma once

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"

#include <optional>
#include <string>

namespace kst {

namespace dwarf = llvm::dwarf;
using llvm::DWARFDie;

/// Types within types are followed so far.
inline constexpr unsigned MostDepth = 16;

inline bool isRecord(DWARFDie Die) {
  return Die.getTag() == dwarf::DW_TAG_structure_type ||
         Die.getTag() == dwarf::DW_TAG_union_type ||
         Die.getTag() == dwarf::DW_TAG_class_type;
}

inline uint64_t number(DWARFDie Die, dwarf::Attribute What) {
  return dwarf::toUnsigned(Die.find(What), 0);
}

inline DWARFDie typeOf(DWARFDie Die) {
  return Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
}

/// Without typedef, const and volatile; Name: of the last typedef on the way.
inline DWARFDie bareType(DWARFDie Die, std::string *Name = nullptr) {
  for (unsigned Depth = 0; Die && Depth != MostDepth; ++Depth) {
    bool Typedef = Die.getTag() == dwarf::DW_TAG_typedef;
    if (!Typedef && Die.getTag() != dwarf::DW_TAG_const_type &&
        Die.getTag() != dwarf::DW_TAG_volatile_type)
      break;
    if (Typedef && Name && Die.getShortName())
      *Name = Die.getShortName();
    Die = typeOf(Die);
  }
  return Die;
}

/// Where a variable of static storage is; nothing for all others. Of a
/// relocatable file: where its section is placed.
std::optional<uint64_t> staticAddress(DWARFDie Variable);

/// Bits from the start of the record around the member.
inline uint64_t offsetBits(DWARFDie Member) {
  return Member.find(dwarf::DW_AT_data_bit_offset)
             ? number(Member, dwarf::DW_AT_data_bit_offset)
             : 8 * number(Member, dwarf::DW_AT_data_member_location);
}

} // namespace kst
