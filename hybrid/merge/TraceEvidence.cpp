// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/merge/TraceEvidence.h"

#include "hybrid/merge/Posterior.h"

#include <limits>

namespace kst {

AffinityEvidence traceEvidence(const RecordInfo &Record, const Windows &Of,
                               const StructureTest &Test) {
  AffinityEvidence Made;
  Made.Record = Record;
  Made.Fields.resize(Record.Fields.size());
  Made.Origins.resize(Record.Fields.size());
  Made.Covered.Dynamic = true;
  for (uint32_t F = 0; F != Record.Fields.size() && F != Of.fields(); ++F) {
    FieldUse &Use = Made.Fields[F];
    Use.Reads = double(Of.reads()[F]);
    Use.Writes = double(Of.writes()[F]);
    FieldOrigin &From = Made.Origins[F];
    From.Reads = Of.reads()[F];
    From.Writes = Of.writes()[F];
    From.From = Use.total() > 0 ? Origin::Measured : Origin::NotReached;
    From.MeasuredShare = Use.total() > 0;
    From.Uses = rateInterval(Use.total(), 1,
                             std::numeric_limits<double>::infinity());
  }
  if (!Test.Structured)
    return Made;
  Made.Sets = Of.sets();
  for (CoAccessSet &Set : Made.Sets)
    Set.From.Weight =
        rateInterval(Set.Weight, 1, std::numeric_limits<double>::infinity());
  return Made;
}

} // namespace kst
