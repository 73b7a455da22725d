// SPDX-License-Identifier: GPL-2.0-or-later
//
// The main question: in which order should the fields of these structs lie.

#ifndef KST_HYBRID_PIPELINE_ANALYZE_H
#define KST_HYBRID_PIPELINE_ANALYZE_H

#include "hybrid/fieldorder/Report.h"
#include "hybrid/pipeline/Session.h"

#include "llvm/ADT/STLExtras.h"

#include <list>

namespace kst {

/// A struct with its report. Does not move in memory: others refer to it.
struct AnalyzedStruct {
  const StructRequest *Asked = nullptr; ///< of Analysis::From
  StructInConfigs Found;
  Report Proposed;
  std::vector<bool> Moved; ///< per field: whether newOrder() moves it

  /// What a patch makes of it: an order that was asked for, or the proposed
  /// one.
  bool reorders() const {
    return Proposed.InPatch ? llvm::is_contained(Moved, true) ||
                                  !Proposed.InPatch->Aligned.empty()
                            : Proposed.Layouts.What == Verdict::Reorder;
  }
  const std::vector<uint32_t> &newOrder() const {
    return Proposed.InPatch ? Proposed.InPatch->Order
                            : Proposed.Layouts.Proposed.Plan.Order;
  }
  const Layout &newLayout(size_t Config) const {
    return Proposed.InPatch ? Proposed.InPatch->Layouts[Config]
                            : Proposed.Layouts.Configs[Config].Proposed;
  }
};

struct Analysis {
  std::unique_ptr<Session> From;
  std::list<AnalyzedStruct> Structs; ///< those that gave a report, as asked
  /// The worst of what was said about single structs.
  ExitCode Status = ExitDone;
  /// Every struct was answered and may be patched; else none is.
  bool Whole = true;
  /// Of the struct for which it is least: the share of its accesses that could
  /// be resolved, or that of the units that could be parsed if that is less.
  double Coverage = 1;
};

/// Reports on all structs. An error if nothing can be analysed as asked; what
/// keeps single structs from an answer is told and is in the status.
llvm::Expected<Analysis> analyze(AnalyzeRequest Asked);

/// What --struct says of one struct, without trace, profiles and questions.
Report makeReport(const StructInConfigs &Struct, const LayoutProblem &Problem);

/// The affinity graph of a report, for other programs.
llvm::Expected<std::string> graphMlOf(const Report &Shown);
llvm::Expected<std::string> dotOf(const Report &Shown);

} // namespace kst

#endif
