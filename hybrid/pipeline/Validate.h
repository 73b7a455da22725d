// SPDX-License-Identifier: GPL-2.0-or-later
//
// The orders of a report, judged by the accesses that a trace holds.

#ifndef KST_HYBRID_PIPELINE_VALIDATE_H
#define KST_HYBRID_PIPELINE_VALIDATE_H

#include "hybrid/fieldorder/Report.h"
#include "hybrid/pipeline/Errors.h"
#include "hybrid/pipeline/Request.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace kst {

/// The trace that orders are replayed on.
class Validation {
public:
  /// Without Asked.Trace there is nothing to replay. A usageError if the file
  /// is no trace that can be read. `Shown`: told how far a replay is; may be
  /// null, outlives this.
  static llvm::Expected<Validation> open(const ValidateRequest &Asked,
                                         Progress *Shown);

  /// Replays the current order, the proposed one and, if the trace is of the
  /// first configuration, every other that the report prices; the answer is in
  /// `R.Replay`. A usageError if no configuration lays the struct out as the
  /// trace has it.
  llvm::Error judge(Report &R) const;

private:
  ValidateRequest Asked;
  Progress *Shown = nullptr;
  std::unique_ptr<llvm::MemoryBuffer> Bytes; ///< or null
};

} // namespace kst

#endif
