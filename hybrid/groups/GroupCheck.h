// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's cacheline groups, and its tables of them, against what the code
// does: one struct in one configuration. What texts say of each other is exact;
// what the code does is estimated, as everywhere.

#pragma once

#include "hybrid/core/Evidence.h"
#include "hybrid/core/MarkedGroups.h"
#include "hybrid/findings/FieldUsers.h"
#include "hybrid/findings/Finding.h"
#include "hybrid/groups/CachelineTable.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kst {

/// Thresholds; shares are 0..1.
struct GroupOptions {
  /// From here on a field is not read-mostly: of its accesses while the object
  /// is in use, so many write it. The second: clearly not.
  double Written = 0.1, MuchWritten = 0.3;
  /// A member belongs to another group if at least this share of the visits
  /// that touch it touch that, and at most this share its own.
  double WithOther = 0.5, WithOwn = 0.1;
  /// What fewer visits of the struct touch, or write, is not worth a word; the
  /// second: of a field outside of groups.
  double FewVisits = 1e-3, FewOutside = 0.01;
  /// What makes less of the accesses to a group that is read takes its lines
  /// from nobody.
  double FewWrites = 1e-3;
};

/// What is known of a function that a table names.
struct NamedFunction {
  bool Known = false; ///< some file that was looked through has the word
  bool Body = false;  ///< the program has its body
  /// Fields that it uses, or that functions which it calls directly do, and so
  /// on. Indices into RecordInfo::Fields.
  std::set<uint32_t> Uses;
};

struct GroupSubject {
  std::string Config;
  uint32_t LineBytes = 64;
  const AffinityEvidence *Evidence = nullptr;
  uint32_t Units = 0; ///< that were looked at
  std::vector<GroupAssert> Asserts;
  const CachelineTable *Table = nullptr; ///< null: there is none
  /// Words of the definition outside of comments: members that this
  /// configuration does not have are among them.
  std::set<std::string> DefinitionWords;
  /// Names that the header defines as a path to a member, as sk_family.
  std::map<std::string, std::string> Macros;
  /// Members of what fields hold by value.
  std::map<uint32_t, std::vector<std::string>> Inner;
  std::map<std::string, NamedFunction> Functions;
  std::string LookedThrough; ///< for people: where words were looked for

  /// Whether the field is what the struct extends, as sk of inet_sock: it holds
  /// a struct and comes first. Others use it by a cast.
  bool isParent(uint32_t F) const {
    return Inner.contains(F) && Evidence->Record.Fields[F].OffsetBits == 0;
  }
};

struct GroupSummary {
  std::string Name;
  GroupUse Use = GroupUse::Unknown;
  uint32_t Members = 0;
  uint64_t Bytes = 0, BeginBytes = 0, EndBytes = 0;
  uint32_t FirstLine = 0, LastLine = 0; ///< lines of memory
  uint64_t AssertedBytes = 0;           ///< 0: no assertion of the size
  double Accesses = 0;                  ///< of all of the struct, a share
  double Writes = 0;                    ///< of those of the group
};

struct GroupedStruct {
  std::string Config, Name, File;
  uint32_t Line = 0, LineBytes = 64;
  uint64_t SizeBytes = 0;
  bool Used = false;  ///< some access to it while in use was seen
  double Outside = 0; ///< share of accesses to fields that are in no group
  std::vector<GroupSummary> Groups;
  std::string Table;          ///< the file; "" without one
  uint32_t Rows = 0;          ///< of it
  uint32_t RowsElsewhere = 0; ///< about members of other configurations
  std::vector<Finding> Findings;
};

/// Deterministic. Findings in no particular order.
GroupedStruct checkGroups(const GroupSubject &Of,
                          const GroupOptions &Options = {});

/// How well a row's type and that of a field agree, whatever attributes and
/// blanks: true if they are one type.
bool isSameType(const std::string &InTable, const FieldInfo &Field);

} // namespace kst
