// SPDX-License-Identifier: GPL-2.0-or-later
//
// The survey: every struct that the selected code defines and uses, in one
// pass.

#ifndef KST_HYBRID_PIPELINE_SURVEYTREE_H
#define KST_HYBRID_PIPELINE_SURVEYTREE_H

#include "hybrid/fieldorder/Report.h"
#include "hybrid/pipeline/Session.h"
#include "hybrid/survey/Survey.h"

#include <functional>

namespace kst {

/// `Structs` is empty: all are meant. Profiles are not taken.
struct SurveyRequest : AnalyzeRequest {
  uint64_t LeastBytes = 0, MostBytes = ~0ull; ///< of the structs
  /// Prefixes of the files that define them, from the source root; none: any.
  std::vector<std::string> DefinedIn;
  double LeastGain = 0; ///< share of its own cost that the proposal saves
  bool Visible = false; ///< also those whose bytes others see
  uint32_t Top = 30;    ///< rows that are searched as --struct does
  std::string Slabinfo; ///< file; "": none
  std::map<std::string, uint64_t> Objects; ///< by struct, --objects
};

/// Where time went, in seconds: facts and what all structs share; evidence,
/// price and a short search for each; whole searches for the first.
struct SurveyTimes {
  double Open = 0, Short = 0, Whole = 0;
};

struct SurveyAnswer {
  std::unique_ptr<Session> From;
  Survey What;
  SurveyTimes Times;
  ExitCode Status = ExitDone;
};

/// A struct that gives no evidence is told, counted and makes the status
/// ExitPartial. `Shown`: called with the report of each struct that was
/// searched as --struct does, in no particular order; may be unset.
llvm::Expected<SurveyAnswer>
surveyTree(SurveyRequest Asked,
           const std::function<void(const Report &)> &Shown = {});

} // namespace kst

#endif
