// SPDX-License-Identifier: GPL-2.0-or-later
//
// A request on its way to an answer: checked, its facts collected and linked;
// then struct by struct what an order is judged by.

#ifndef KST_HYBRID_PIPELINE_SESSION_H
#define KST_HYBRID_PIPELINE_SESSION_H

#include "hybrid/pipeline/Configs.h"

namespace kst {

struct Session {
  /// As asked, with every struct by its proper name, each once.
  AnalyzeRequest Asked;
  Configs All;
  /// ExitPartial when some structs or paths are unknown; the reason was said.
  ExitCode Status = ExitDone;

  /// `UsedWith`: names of fields, besides those in the request. The error joins
  /// every usageError that was found.
  static llvm::Expected<Session>
  open(AnalyzeRequest Asked, const std::vector<std::string> &UsedWith = {});

  /// The evidence about one struct of `Asked`, without what is negligible, and
  /// the options that hold for it: pins and rules of its header's text.
  struct Prepared {
    StructInConfigs Struct;
    LayoutOptions Layout;
  };
  llvm::Expected<Prepared> prepare(const StructRequest &Struct) const;
};

/// An error for an id of a lifted rule that names no rule, or one that cannot
/// be lifted.
llvm::Error checkLifted(const LayoutProblem &Problem);

} // namespace kst

#endif
