// SPDX-License-Identifier: GPL-2.0-or-later
//
// The visits of a program to instances of one record: the stretch of
// execution in which a function, with its callees, deals with one instance.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/program/Effects.h"
#include "hybrid/program/Program.h"
#include "hybrid/program/SubjectRecord.h"

#include <map>
#include <vector>

namespace kst {

/// Visits of one function to one instance expression.
struct Visit {
  FunctionId Owner = None;
  LinkId Instance = None;
  uint32_t Loop = None; ///< of Owner; each iteration is a visit
  double Weight = 0;    ///< visits, in the unit of Frequencies
  CpuRelation Cpu = CpuRelation::Unknown;
  Phase When = Phase::Steady;
  std::map<uint32_t, Effect> Fields; ///< per visit
  SetOrigin From;
};

/// Accesses of the subject that no field could be given for. An access through
/// a bare pointer to a common part, such as a list head, is not among them: no
/// more than any other pointer of that type does it speak of the subject, until
/// a caller shows whose part it is.
struct LinkDrops {
  uint64_t WholeRecord = 0; ///< memset, memcpy, assignment of the whole
};

/// How the visits, by weight, come to the object.
struct ObjectRoots {
  double Own =
      0; ///< `current`, this CPU's data, the stack, what these point to
  /// A parameter that no analysed caller filled in: called through a pointer,
  /// perhaps by another task, or from code that was not analysed.
  double Handed = 0;
  double Other = 0;
  /// As far as the analysed source shows, an object is used by its task or CPU
  /// only. The bound is a judgement.
  bool exclusive() const {
    return Own > 0 && Handed <= 0.05 * Own && Other <= 0;
  }
};

struct VisitList {
  std::vector<Visit> Visits;
  ObjectRoots Roots;
  LinkDrops Drops;
  uint64_t ResolvedSites = 0; ///< places in the source
};

class VisitBasis;

/// Summarises callees before callers, passes each summary on to the callers
/// that know the instance, and keeps the rest as visits. Deterministic; what is
/// found for one subject does not depend on others that the basis serves.
VisitList findVisits(const VisitBasis &Basis, const SubjectRecord &Subject);

} // namespace kst
