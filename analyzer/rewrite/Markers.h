// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's cacheline group markers around runs of members: where they can
// stand in the text without being conditional and without changing a layout,
// and the assertions that keep later patches from breaking the groups.

#pragma once

#include "analyzer/rewrite/Definition.h"

namespace kst {

/// A group that somebody would like to see.
struct WantedGroup {
  std::string Name;             ///< C identifier
  std::vector<uint32_t> Fields; ///< that should be in it; ascending
};

/// A group as it stands in the text.
struct PlacedGroup {
  std::string Name;
  std::vector<uint32_t> Fields; ///< all that are in it; ascending
  bool operator==(const PlacedGroup &) const = default;
};

struct MarkedText {
  std::string Text;                ///< of the whole file
  std::vector<PlacedGroup> Groups; ///< as wanted, without those left out
  std::vector<std::string> Notes;  ///< on those left out, and on cut ones
};

/// Puts `__cacheline_group_begin(NAME);` and `_end(NAME);` on lines of their
/// own around the declarations of each group. `Record` is the one that `Of` was
/// parsed with; fields are indices into it.
///
/// A group runs from the first to the last of its fields, with all that is
/// between them. It is made of whole declarations and whole outermost #if
/// blocks, so that both markers are unconditional. It is cut at: members
/// without size, flexible arrays, immovable fields and barriers, groups that
/// are already there, groups before it in `Wanted`, declarations and #if blocks
/// that are not wholly in it, bit-fields that it would part from their
/// neighbours, and the struct's first member (with a marker before it `= { 0 }`
/// is an error). Of the pieces that remain, the one with most of its fields is
/// taken, without others at its ends; a group with fewer than two is left out.
/// Comments that belong to the first or last declaration are inside.
MarkedText insertMarkers(const Definition &Source, const RecordInfo &Record,
                         const std::vector<WantedGroup> &Wanted);

/// Names of the members that the markers of the groups make.
std::vector<std::string> markerMembers(const std::vector<PlacedGroup> &Groups);

/// CACHELINE_ASSERT_GROUP_MEMBER() for each member of the groups, a line each,
/// under the member's own #if. Left out: bit-fields and unnamed members, which
/// offsetof() cannot name, and members of which an #if inside decides: in an
/// anonymous struct or union, or declared in several branches; and what
/// no configuration has, as it is not in the record. No
/// CACHELINE_ASSERT_GROUP_SIZE(): a size is right for one configuration only.
/// `Of` and `Record` as above, the text without markers.
std::string groupAsserts(const Definition &Source, const RecordInfo &Record,
                         const std::vector<PlacedGroup> &Groups);

} // namespace kst
