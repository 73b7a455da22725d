// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sharing between the fields of structs, where nobody says which thread has
// which object: what the reports of --struct say, for all of a selection. Of a
// program with threads only what its code says is for threads to meet at:
// fields with atomic operations, and locks.

#ifndef KST_HYBRID_PIPELINE_STRUCTSHARING_H
#define KST_HYBRID_PIPELINE_STRUCTSHARING_H

#include "hybrid/pipeline/Session.h"
#include "hybrid/sharing/Sharing.h"

#include <set>
#include <string>

namespace kst {

/// What was looked at, so that the same can be asked about a changed source.
struct StructsLookedAt {
  double Accesses = 0;         ///< to all structs
  std::set<std::string> Found; ///< the structs with findings
};

/// A finding for each struct with fields on one line that one CPU writes while
/// another one uses others; cycles are those lost for each access to any
/// struct. `Before`: only structs that it found, for each of its accesses; or
/// null. Most structs are looked at in child processes; an error if the run was
/// interrupted.
llvm::Expected<StructsLookedAt>
addStructSharing(SharingReport &To, const Session &From,
                 const AnalyzeRequest &Asked,
                 const StructsLookedAt *Before = nullptr);

} // namespace kst

#endif
