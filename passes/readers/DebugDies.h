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

/// Has the entry no members because they stand elsewhere: it is a declaration,
/// or only the signature of a unit of types, which LLVM 22 names like the type.
inline bool isElsewhere(DWARFDie Die) {
  return Die.find({dwarf::DW_AT_declaration, dwarf::DW_AT_signature})
      .has_value();
}

inline uint64_t number(DWARFDie Die, dwarf::Attribute What) {
  return dwarf::toUnsigned(Die.find(What), 0);
}

/// The definition, also where the unit has only its signature.
DWARFDie typeOf(DWARFDie Die);

/// The entry, or the one that it is a copy or the definition of, that has the
/// attribute; none if none has.
DWARFDie having(DWARFDie Die, dwarf::Attribute What);

/// Without typedef and qualifiers; Name: of the last typedef on the way.
inline DWARFDie bareType(DWARFDie Die, std::string *Name = nullptr) {
  for (unsigned Depth = 0; Die && Depth != MostDepth; ++Depth) {
    bool Typedef = Die.getTag() == dwarf::DW_TAG_typedef;
    if (!Typedef && Die.getTag() != dwarf::DW_TAG_const_type &&
        Die.getTag() != dwarf::DW_TAG_volatile_type &&
        Die.getTag() != dwarf::DW_TAG_restrict_type &&
        Die.getTag() != dwarf::DW_TAG_atomic_type)
      break;
    if (Typedef && Name && Die.getShortName())
      *Name = Die.getShortName();
    Die = typeOf(Die);
  }
  return Die;
}

/// Of any type; 0 if it has none that is known.
uint64_t sizeBytes(DWARFDie Type);

/// Elements of one dimension of an array; 0 if it has no bound.
uint64_t elements(DWARFDie Range);

/// Where a variable of static storage is; nothing for all others. Of a
/// relocatable file: where its section is placed.
std::optional<uint64_t> staticAddress(DWARFDie Variable);

/// Bits from the start of the record around the member.
uint64_t offsetBits(DWARFDie Member);

/// Of a member; of one that is no bit-field those of its type.
uint64_t sizeBits(DWARFDie Member);

/// The line table whose numbers of files the entry uses; nullptr if none.
const llvm::DWARFDebugLine::LineTable *linesFor(DWARFDie Die);

/// The file that declares it, absolute; "" if that is not known.
std::string declaringFile(DWARFDie Die);

} // namespace kst
