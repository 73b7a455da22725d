// SPDX-License-Identifier: GPL-2.0-or-later
//
// The visits of a program to instances of one record: the stretch of
// execution in which a function, with its callees, deals with one instance.

#ifndef KST_HYBRID_LINK_VISITS_H
#define KST_HYBRID_LINK_VISITS_H

#include "hybrid/link/Effects.h"
#include "hybrid/link/Frequencies.h"
#include "hybrid/link/TargetRecord.h"

#include <map>
#include <string>
#include <vector>

namespace kst {

/// Visits of one function to one instance expression.
struct Visit {
  FunctionId Owner = None;
  LinkId Instance = None;
  uint32_t Loop = None; ///< of Owner; each iteration is a visit
  double Weight = 0;    ///< visits, in the unit of Frequencies
  CpuRelation Cpu = CpuRelation::Unknown;
  std::map<uint32_t, Effect> Fields; ///< per visit
};

/// Accesses that could not be said to be the target's, by reason.
struct LinkDrops {
  uint64_t BuildingBlock = 0; ///< through a pointer to a part of many records
  uint64_t WholeRecord = 0;   ///< memset, memcpy, assignment of the whole
  uint64_t UnseenCallee = 0;  ///< the whole object given to unseen code
};

struct VisitList {
  std::vector<Visit> Visits;
  LinkDrops Drops;
  uint64_t ResolvedSites = 0; ///< places in the source
};

/// Summarises callees before callers, passes each summary on to the callers
/// that know the instance, and keeps the rest as visits. Deterministic.
VisitList findVisits(const Program &Whole, const TargetRecord &Target,
                     const Frequencies &Often);

} // namespace kst

#endif
