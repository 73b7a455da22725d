// SPDX-License-Identifier: GPL-2.0-or-later
//
// Affinity evidence from the windows of a trace: their sets, if they show more
// than the frequencies of the fields.

#ifndef KST_HYBRID_EVIDENCE_TRACEEVIDENCE_H
#define KST_HYBRID_EVIDENCE_TRACEEVIDENCE_H

#include "hybrid/core/Evidence.h"
#include "hybrid/evidence/NullModel.h"
#include "hybrid/evidence/Windows.h"
#include "hybrid/trace/TraceReader.h"

namespace kst {

/// The accesses to Record's objects in a trace, read to its end. Fails for a
/// trace that knows no such struct or another layout of it, and at damage.
Result<Windows> windowsOf(TraceReader &From, const RecordInfo &Record,
                          const WindowOptions &Options = {});

/// Windows of accesses to `Record`, finished. Where the test finds no
/// structure, uses of fields remain and there are no sets: whoever orders
/// fields by this evidence finds it insufficient.
AffinityEvidence traceEvidence(const RecordInfo &Record, const Windows &Of,
                               const StructureTest &Test);

} // namespace kst

#endif
