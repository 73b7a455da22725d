// SPDX-License-Identifier: GPL-2.0-or-later
//
// A record (struct or union) as the target ABI lays it out. This is the form
// that everything after the front end works on: owned strings, no clang types.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// No group: the field or group is a member of the record itself.
inline constexpr uint32_t NoGroup = ~0u;

/// One field of a record, in declaration order. Members of anonymous structs
/// are fields, those of anonymous unions are not.
struct FieldInfo {
  /// The declared name. An anonymous member that is one field is named by its
  /// members (memberNames()); an unnamed bit-field or marker is "".
  std::string Name;
  /// What an anonymous member has, at any depth; else empty.
  std::vector<std::string> Members;
  /// The type as the compiler prints it, for people.
  std::string TypeName;
  uint64_t OffsetBits = 0;
  /// Bits the field occupies; for a bit-field its width.
  uint64_t SizeBits = 0;
  /// Alignment the ABI gives the field here, attributes and packing included.
  uint32_t AlignBytes = 1;
  /// Alignment asked for by an attribute on this field; 0 when there is none.
  uint32_t ExplicitAlignBytes = 0;
  /// What an attribute is to give it (--align); 0: it stays as it is.
  uint32_t WantedAlignBytes = 0;
  /// For a bit-field: size in bits of the declared type's storage unit.
  uint32_t StorageUnitBits = 0;
  uint32_t Line = 0;
  /// The innermost anonymous struct around it: index into RecordInfo::Groups.
  uint32_t Group = NoGroup;
  bool BitField = false;
  bool Anonymous = false; ///< anonymous union, or a struct that stays closed
  bool ZeroSize = false;  ///< occupies no byte: group marker, empty struct
  bool FlexibleArray = false; ///< `T x[]`: must stay last
  bool Packed = false;        ///< attribute packed on the field itself
  bool Pointer = false;
  /// Not in this configuration, but in another that was looked at together
  /// with it: it occupies and aligns nothing.
  bool Absent = false;

  bool operator==(const FieldInfo &) const = default;
};

/// An anonymous struct whose members are fields of the record. In every order
/// they are adjacent: they move inside of it, and it moves as a whole.
struct GroupInfo {
  std::string Name;          ///< its members, as in FieldInfo::Name
  uint32_t Parent = NoGroup; ///< the group around it; smaller than its index
  uint32_t AlignBytes = 1;   ///< it starts and ends at multiples of it
  uint32_t ExplicitAlignBytes = 0; ///< asked for by an attribute; or 0
  uint32_t Line = 0, EndLine = 0;

  bool operator==(const GroupInfo &) const = default;
};

/// A slab cache for objects of the record (mm/slub.c).
struct SlabInfo {
  uint32_t AlignBytes = 0; ///< asked for; 0: none
  uint32_t PointerBytes = 8;
  bool OnLines = false;    ///< made with SLAB_HWCACHE_ALIGN
  bool LinkBehind = false; ///< the link of free objects lies behind the object
  std::string File;        ///< where it is made
  uint32_t Line = 0;

  bool operator==(const SlabInfo &) const = default;
};

/// A complete record definition with its layout for one target.
struct RecordInfo {
  std::string Name; ///< tag, or typedef name of an untagged record
  std::string File; ///< relative to the source root where it lies below it
  uint32_t Line = 0;
  uint32_t EndLine = 0;
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1;
  /// Alignment asked for by an attribute on the record; 0 when there is none.
  uint32_t ExplicitAlignBytes = 0;
  bool Union = false;
  bool Packed = false;
  bool RandomizeLayout = false; ///< __randomize_layout
  bool System = false;          ///< in a system header of the compiler
  bool AsksCompiler = false;    ///< members depend on which compiler reads them
  std::vector<FieldInfo> Fields;
  std::vector<GroupInfo> Groups;
  std::vector<SlabInfo> Slabs; ///< by place; empty: none was seen

  bool operator==(const RecordInfo &) const = default;
};

/// Whether a member of Group is one of Around, too: it is Around or inside of
/// it. Everything is inside of NoGroup.
inline bool isInside(const RecordInfo &Record, uint32_t Group,
                     uint32_t Around) {
  while (Group != Around && Group != NoGroup)
    Group = Record.Groups[Group].Parent;
  return Group == Around;
}

/// The innermost group that both are inside of.
inline uint32_t commonGroup(const RecordInfo &Record, uint32_t A, uint32_t B) {
  while (!isInside(Record, B, A))
    A = Record.Groups[A].Parent;
  return A;
}

/// First and one past the last of the fields of a group, in declaration order;
/// twice the same when it has none.
inline std::pair<uint32_t, uint32_t> groupFields(const RecordInfo &Record,
                                                 uint32_t Group) {
  uint32_t Begin = 0, End = 0;
  for (uint32_t F = 0; F < Record.Fields.size(); ++F)
    if (isInside(Record, Record.Fields[F].Group, Group)) {
      Begin = End ? Begin : F;
      End = F + 1;
    }
  return {Begin, End};
}

/// How an anonymous member is called: its members joined with '|'. Beyond
/// LongestMemberNames characters only the first ones, at least one, and how
/// many more there are: `{_mapcount|page_type|...+5}`. No two members of a
/// record have a name in common, so these names differ, too.
inline constexpr size_t LongestMemberNames = 48;
inline std::string memberNames(const std::vector<std::string> &Members) {
  std::string All;
  for (const std::string &Name : Members)
    All += (All.empty() ? "" : "|") + Name;
  if (All.size() <= LongestMemberNames)
    return All;
  std::string Some;
  size_t Count = 0;
  for (const std::string &Name : Members) {
    constexpr size_t Around = 10; // braces, bars, dots, the number
    if (Count && Some.size() + 1 + Name.size() + Around > LongestMemberNames)
      break;
    Some += (Count++ ? "|" : "") + Name;
  }
  if (Count == Members.size())
    return All;
  return "{" + Some + "|...+" + std::to_string(Members.size() - Count) + "}";
}

} // namespace kst
