// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugDies.h"

#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

namespace kst {

std::optional<uint64_t> staticAddress(DWARFDie Variable) {
  auto Place = Variable.find(dwarf::DW_AT_location);
  const auto Block = Place ? Place->getAsBlock() : std::nullopt;
  if (!Block || Block->size() < 2)
    return std::nullopt;
  llvm::DWARFUnit &Unit = *Variable.getDwarfUnit();
  const llvm::DataExtractor Bytes(llvm::toStringRef(*Block), true, 8);
  uint64_t At = 1;
  switch (Block->front()) {
  case dwarf::DW_OP_addr: {
    if (Block->size() != 9)
      return std::nullopt;
    // The block itself has the bytes before relocation.
    const llvm::DWARFDataExtractor All = Unit.getDebugInfoExtractor();
    At = uint64_t(Block->data() - All.getData().bytes_begin()) + 1;
    return All.getRelocatedAddress(&At);
  }
  case dwarf::DW_OP_addrx: { // of clang, DWARF 5
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

} // namespace kst
