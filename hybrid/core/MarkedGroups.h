// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's own cacheline groups: members of no size that
// __cacheline_group_begin(NAME) and __cacheline_group_end(NAME) put around the
// fields of a group (include/linux/cache.h).

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

struct MarkedGroup {
  std::string Name;
  uint32_t Begin = 0, End = 0; ///< the markers, indices of fields
  /// Fields between the markers.
  std::vector<uint32_t> Fields;
  /// From the end of the first marker to the start of the last.
  uint64_t Bytes = 0;
};

/// In the order of the definition. A group without an end is none.
std::vector<MarkedGroup> markedGroups(const RecordInfo &Record);

/// Name of the innermost group around each field; "" for none.
std::vector<std::string> groupOfFields(const RecordInfo &Record);

/// What a group's name says of its fields, by the kernel's usage: "read" or
/// "read_mostly", "read_txrx" are read, "write" is written.
enum class GroupUse { Unknown, Read, Written };
GroupUse useByName(const std::string &Group);

/// A build-time assertion about a group: CACHELINE_ASSERT_GROUP_MEMBER() or
/// CACHELINE_ASSERT_GROUP_SIZE().
struct GroupAssert {
  std::string Struct, Group;
  std::string Member; ///< ""; then Bytes
  uint64_t Bytes = 0; ///< the most that the group may have
  Site Where;
};

} // namespace kst
