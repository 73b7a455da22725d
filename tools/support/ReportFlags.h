// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the answer of a command goes: to standard output as text, and to the
// files that its options name in other forms.

#pragma once

#include "hybrid/report/Document.h"
#include "tools/support/CommandLine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kst {

/// The options of one command; they live as long as it does.
class ReportFlags {
public:
  explicit ReportFlags(cl::SubCommand &Command);

  /// Before the work: a usageError unless each file can be written, none twice,
  /// and at most one of them is standard output. `More`: what other options
  /// write; `Inputs`: files that must not be written to.
  llvm::Error check(const OutputFiles &More = {},
                    const std::vector<std::string> &Inputs = {});

  /// Writes the files, then, unless `Quiet` or standard output is one of them,
  /// the text. `Json` is called if it is asked for. The error joins all.
  llvm::Error write(const std::vector<Document> &Docs,
                    llvm::function_ref<std::string()> Json, bool Quiet) const;

  /// Nothing is folded or left out.
  bool full() const { return Full; }

private:
  Flag<std::string> Json, Html, Markdown, Summary, Color;
  Flag<bool> Full;
  bool StdoutTaken = false;
};

} // namespace kst
