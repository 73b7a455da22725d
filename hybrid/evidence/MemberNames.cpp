// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/MemberNames.h"

#include "hybrid/evidence/FieldPlaces.h"

#include <algorithm>
#include <span>

namespace kst {

static std::span<const NamedMember> membersOf(const Profile &P,
                                              uint32_t Struct) {
  auto Of =
      std::ranges::equal_range(P.Members, Struct, {}, &NamedMember::Struct);
  return {Of.begin(), Of.end()};
}

bool hasMemberNames(const Profile &From, uint32_t Struct) {
  return !membersOf(From, Struct).empty();
}

FieldMap fieldsByName(const Profile &From, uint32_t Struct,
                      const RecordInfo &Record) {
  FieldMap Map;
  const uint64_t End = From.Structs[Struct].SizeBytes * 8ull;
  for (const NamedMember &M : membersOf(From, Struct)) {
    const uint32_t Field = fieldOfPath(Record, From.text(M.Name));
    // An array without a length has all that is behind the struct; others
    // without a size mark a place.
    const uint64_t Bits = M.SizeBits           ? M.SizeBits
                          : M.OffsetBits < End ? 0
                                               : uint64_t(1) << 40;
    if (Field != None && Bits && !Record.Fields[Field].Absent)
      Map.add(M.OffsetBits, {M.OffsetBits + Bits, Field, FoundBy::Name});
  }
  return Map;
}

std::string memberNameAt(const Profile &From, uint32_t Struct, uint64_t Bit) {
  std::string Name;
  for (const NamedMember &M : membersOf(From, Struct))
    if (M.OffsetBits <= Bit && Bit < M.OffsetBits + M.SizeBits)
      Name += (Name.empty() ? "" : "|") + From.text(M.Name);
  return Name;
}

} // namespace kst
