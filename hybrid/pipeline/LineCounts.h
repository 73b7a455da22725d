// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often functions were entered and their lines ran, from how often each
// instruction of a program ran.

#ifndef KST_HYBRID_PIPELINE_LINECOUNTS_H
#define KST_HYBRID_PIPELINE_LINECOUNTS_H

#include "hybrid/core/Result.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "passes/readers/FunctionCode.h"

#include <string_view>
#include <vector>

namespace kst {

/// Executions of instructions.
struct ExecutedCode {
  struct Instruction {
    uint64_t Address = 0, Count = 0;
  };
  std::vector<Instruction> Instructions; ///< by address; those that ran
  uint64_t Outside = 0;                  ///< executions of code elsewhere

  /// How often the instruction there ran.
  uint64_t at(uint64_t Address) const;
  /// The largest count of an instruction in [Begin, End).
  uint64_t most(uint64_t Begin, uint64_t End) const;
};

/// The text that ExecutionCounts::write() left. A Failure if it has something
/// else, or ends before its end.
Result<ExecutedCode> readExecutedCode(std::string_view Text);

struct LineCounts {
  uint64_t Functions = 0, Ran = 0; ///< of the source
};

/// Adds a site Entry for each function of the code: how often its copies were
/// entered; and for each that ran a site Line for each of its lines that has
/// code: over its copies the sum of what the instruction of the line that ran
/// most often did (AutoFDO's rule: Chen, Li, Moseley, CGO 2016).
LineCounts addLineCounts(const FunctionCode &Code, const ExecutedCode &Ran,
                         ProfileBuilder &To);

} // namespace kst

#endif
