// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugMembers.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugInfo.h"

namespace kst {

namespace {

void addMembers(DWARFDie Record, uint64_t BaseBits, const std::string &Prefix,
                unsigned Depth, MemberNames &To) {
  if (Depth == MostDepth)
    return;
  for (DWARFDie Member : Record.children()) {
    if (Member.getTag() != dwarf::DW_TAG_member)
      continue;
    DWARFDie Type = bareType(typeOf(Member));
    uint64_t At = BaseBits + offsetBits(Member);
    const char *Name = Member.getShortName();
    if (Name) {
      uint64_t Bits = number(Member, dwarf::DW_AT_bit_size);
      if (!Bits && Type)
        Bits = 8 * Type.getTypeSize(8).value_or(0);
      To.push_back({At, Bits, Prefix + Name});
    }
    if (Type && isRecord(Type))
      addMembers(Type, At, Name ? Prefix + Name + "." : Prefix, Depth + 1, To);
  }
}

} // namespace

llvm::Expected<std::map<SizedStruct, MemberNames>>
debugMembers(const std::string &File, std::set<SizedStruct> Structs) {
  auto Debug = DebugInfo::open(File);
  if (!Debug)
    return Debug.takeError();
  std::map<SizedStruct, MemberNames> Found;
  Debug->forEachUnit([&](DWARFDie Top) {
    for (DWARFDie Die : Top.children()) {
      if (!isRecord(Die) || Die.find(dwarf::DW_AT_declaration))
        continue;
      const char *Name = Die.getShortName();
      if (!Name)
        continue;
      SizedStruct Key(Name, number(Die, dwarf::DW_AT_byte_size));
      if (Structs.erase(Key))
        addMembers(Die, 0, "", 0, Found[Key]);
    }
    return !Structs.empty();
  });
  return Found;
}

} // namespace kst
