// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of the tool; each returns the exit code of the process.

#ifndef KST_TOOLS_ANALYZE_H
#define KST_TOOLS_ANALYZE_H

#include "hybrid/layout/LayoutProblem.h"
#include "tools/kstatic-affinity/ExitCode.h"
#include "tools/kstatic-affinity/Options.h"

#include "llvm/Support/Error.h"

namespace kst {

/// The main command: a report for each struct on stdout and in the files that
/// were named.
ExitCode runAnalyze(const Options &Given);

/// `place`: where a field that does not exist yet should go.
ExitCode runPlace(const Options &Given);

/// `records`: every record of the selection with its layout, as JSON.
ExitCode runRecords(const Options &Given);

/// `rewrite`: definitions in orders that a file or chance gives, as patches.
ExitCode runRewrite(const Options &Given);

/// `comments FILE...`: what comments, one JSON object in each line, demand.
ExitCode runComments(const Options &Given);

/// `--check FILE`: one unit, step by step, for bug reports.
ExitCode runCheck(const Options &Given);

/// Drops the weakest sets (they are sorted, strongest first): together less
/// than a ten-thousandth of all visits.
void dropTail(std::vector<CoAccessSet> &Sets);

/// What the command line says about the layout stage, without --pin.
LayoutOptions layoutOptions(const Options &Given);

/// Reads what --pin demands of struct number Index. The demands are about
/// fields of any configuration.
llvm::Error readPins(const Options &Given, size_t Index,
                     const RecordInfo &Record, LayoutOptions &How);

/// The ids that --lift-rule names for struct number Index.
std::vector<std::string> liftedIds(const Options &Given, size_t Index);

/// An error for an id that names no rule, or one that cannot be lifted.
llvm::Error checkLifted(const LayoutProblem &Problem);

} // namespace kst

#endif
