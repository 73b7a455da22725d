// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugDies.h"

#include "passes/readers/DwarfCompat.h"

#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

namespace kst {

using llvm::DWARFUnit;

/// The unit that has the code: of a split one the part in the image.
static DWARFUnit &unitWithCode(DWARFDie Die) {
  DWARFUnit &Unit = *Die.getDwarfUnit();
  DWARFUnit *Linked = Unit.getLinkedUnit();
  return Linked ? *Linked : Unit; // units of types have none
}

DWARFDie typeOf(DWARFDie Die) {
  // A signature in place of a reference, as gcc writes it; clang refers to an
  // entry that has one.
  const auto Type = Die.find(dwarf::DW_AT_type);
  if (!Type || Type->getForm() != dwarf::DW_FORM_ref_sig8)
    return Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)
        .resolveTypeUnitReference();
  auto *Unit = typeUnit(*Die.getDwarfUnit(), Type->getRawUValue());
  return Unit ? Unit->getDIEForOffset(Unit->getOffset() + Unit->getTypeOffset())
              : DWARFDie();
}

DWARFDie having(DWARFDie Die, dwarf::Attribute What) {
  for (unsigned Depth = 0; Die && Depth < MostDepth; ++Depth) {
    if (Die.find(What))
      return Die;
    DWARFDie Other =
        Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    Die =
        Other
            ? Other
            : Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification);
  }
  return DWARFDie();
}

uint64_t elements(DWARFDie Range) {
  if (Range.find(dwarf::DW_AT_count))
    return number(Range, dwarf::DW_AT_count);
  // Without a bound nothing is known of the length.
  return Range.find(dwarf::DW_AT_upper_bound)
             ? number(Range, dwarf::DW_AT_upper_bound) + 1
             : 0;
}

uint64_t sizeBytes(DWARFDie Type) {
  uint64_t Number = 1;
  Type = bareType(Type);
  for (unsigned Depth = 0;
       Depth < MostDepth && Type && Type.getTag() == dwarf::DW_TAG_array_type &&
       !Type.find(dwarf::DW_AT_byte_size);
       ++Depth) {
    for (DWARFDie Range : Type.children())
      if (Range.getTag() == dwarf::DW_TAG_subrange_type)
        Number *= elements(Range);
    Type = bareType(typeOf(Type));
  }
  return Type ? Number *
                    Type.getTypeSize(Type.getDwarfUnit()->getAddressByteSize())
                        .value_or(0)
              : 0;
}

std::optional<uint64_t> staticAddress(DWARFDie Variable) {
  auto Place = Variable.find(dwarf::DW_AT_location);
  const auto Block = Place ? Place->getAsBlock() : std::nullopt;
  if (!Block || Block->size() < 2)
    return std::nullopt;
  DWARFUnit &Unit = *Variable.getDwarfUnit();
  uint64_t At = 1;
  switch (Block->front()) {
  case dwarf::DW_OP_addr: {
    if (Block->size() != 1u + Unit.getAddressByteSize())
      return std::nullopt;
    // The block itself has the bytes before relocation.
    const llvm::DWARFDataExtractor All = Unit.getDebugInfoExtractor();
    At = uint64_t(Block->data() - All.getData().bytes_begin()) + 1;
    return All.getRelocatedAddress(&At);
  }
  case dwarf::DW_OP_addrx: // of clang, and of split units
  case dwarf::DW_OP_GNU_addr_index: {
    const llvm::DataExtractor Bytes(llvm::toStringRef(*Block), true, 8);
    const uint64_t Index = Bytes.getULEB128(&At);
    if (At != Block->size() || Index > UINT32_MAX)
      return std::nullopt;
    const auto Address = Unit.getAddrOffsetSectionItem(uint32_t(Index));
    return Address ? std::optional(Address->Address) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

uint64_t sizeBits(DWARFDie Member) {
  const uint64_t Bits = number(Member, dwarf::DW_AT_bit_size);
  return Bits ? Bits : 8 * sizeBytes(typeOf(Member));
}

uint64_t offsetBits(DWARFDie Member) {
  if (Member.find(dwarf::DW_AT_data_bit_offset))
    return number(Member, dwarf::DW_AT_data_bit_offset);
  const uint64_t Bytes = number(Member, dwarf::DW_AT_data_member_location);
  if (!Member.find(dwarf::DW_AT_bit_offset))
    return 8 * Bytes;
  // Of DWARF 3, and still of gcc's 4: from the most significant bit of the
  // storage unit.
  const uint64_t FromTop = number(Member, dwarf::DW_AT_bit_offset);
  if (!Member.getDwarfUnit()->isLittleEndian())
    return 8 * Bytes + FromTop;
  const uint64_t Storage = Member.find(dwarf::DW_AT_byte_size)
                               ? number(Member, dwarf::DW_AT_byte_size)
                               : sizeBytes(typeOf(Member));
  return 8 * (Bytes + Storage) - FromTop -
         number(Member, dwarf::DW_AT_bit_size);
}

const llvm::DWARFDebugLine::LineTable *linesFor(DWARFDie Die) {
  DWARFUnit &Unit = unitWithCode(Die);
  return Unit.getContext().getLineTableForUnit(&Unit);
}

std::string declaringFile(DWARFDie Die) {
  // Numbers of files are those of the unit that says them. getDeclFile() does
  // not know numbers that all entries of a kind have in common
  // (DW_FORM_implicit_const).
  std::string Out;
  Die = having(Die, dwarf::DW_AT_decl_file);
  if (!Die)
    return Out;
  const char *Folder = unitWithCode(Die).getCompilationDir();
  if (const auto *Lines = linesFor(Die))
    Lines->getFileNameByIndex(
        number(Die, dwarf::DW_AT_decl_file), Folder ? Folder : "",
        llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Out);
  return Out;
}

} // namespace kst
