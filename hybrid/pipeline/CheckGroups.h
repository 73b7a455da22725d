// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernel's cacheline groups and its tables of them, against the code.

#ifndef KST_HYBRID_PIPELINE_CHECKGROUPS_H
#define KST_HYBRID_PIPELINE_CHECKGROUPS_H

#include "hybrid/groups/GroupReport.h"
#include "hybrid/pipeline/Request.h"

namespace kst {

/// Structs: only these; none: all that have groups or a table.
struct GroupsRequest : AnalyzeRequest {
  /// Files of tables; none: those of the kernel's documentation that are about
  /// the structs.
  std::vector<std::string> Tables;
  bool LineGiven = false;   ///< Layout.LineBytes is the user's word
  std::string Suppressions; ///< a file; "": none
  GroupOptions Check;
};

struct GroupsAnswer {
  GroupReport Report;
  ExitCode Status = ExitDone; ///< ExitPartial: some structs are unknown
};

llvm::Expected<GroupsAnswer> checkGroups(const GroupsRequest &Asked);

} // namespace kst

#endif
