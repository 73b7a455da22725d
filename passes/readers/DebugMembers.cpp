// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugMembers.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugInfo.h"

namespace kst {

static void addMembers(DWARFDie Record, uint64_t BaseBits,
                       const std::string &Prefix, unsigned Depth,
                       MemberNames &To) {
  if (Depth == MostDepth)
    return;
  for (DWARFDie Member : Record.children()) {
    if (Member.getTag() != dwarf::DW_TAG_member)
      continue;
    DWARFDie Type = bareType(typeOf(Member));
    const uint64_t At = BaseBits + offsetBits(Member);
    const char *Name = Member.getShortName();
    if (Name)
      To.push_back({At, sizeBits(Member), Prefix + Name});
    if (Type && isRecord(Type))
      addMembers(Type, At, Name ? Prefix + Name + "." : Prefix, Depth + 1, To);
  }
}

MemberNames membersOf(DWARFDie Record) {
  MemberNames Out;
  addMembers(Record, 0, "", 0, Out);
  return Out;
}

llvm::Expected<std::map<SizedStruct, MemberNames>>
debugMembers(const std::string &File, std::set<SizedStruct> Structs) {
  auto Debug = DebugInfo::openWhole(File);
  if (!Debug)
    return Debug.takeError();
  std::map<SizedStruct, MemberNames> Found;
  Debug->forEachUnit([&](DWARFDie Top) {
    for (DWARFDie Die : Top.children()) {
      if (!isRecord(Die) || isElsewhere(Die))
        continue;
      const char *Name = Die.getShortName();
      if (!Name)
        continue;
      SizedStruct Key(Name, number(Die, dwarf::DW_AT_byte_size));
      if (Structs.erase(Key))
        Found[Key] = membersOf(Die);
    }
    return !Structs.empty();
  });
  return Found;
}

} // namespace kst
