// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the commands that make files of measurements share.

#ifndef KST_TOOLS_KSTATICAFFINITY_MEASUREMENTCOMMAND_H
#define KST_TOOLS_KSTATICAFFINITY_MEASUREMENTCOMMAND_H

#include "tools/support/CommandLine.h"

#include "llvm/ADT/STLExtras.h"

namespace kst {

class MeasurementCommand : public Command {
protected:
  MeasurementCommand(llvm::StringRef Name, llvm::StringRef Summary,
                     llvm::StringRef Usage)
      : Command(Name, Summary, Usage),
        Output({Sub, OfOutput, "o", "FILE",
                "The file to write; - is standard output"}),
        Label({Sub, OfOutput, "label", "TEXT", "Name of the workload"}),
        Files(Sub, "FILE...") {}

  About binaries() {
    return {Sub, OfAnalysis, "binary", "FILE",
            "The program that ran, or its object files; may be repeated"};
  }

  /// A usageError if there is no file or more than this, none to write, or one
  /// that is also read: a file, or one of these.
  llvm::Error check(size_t MostFiles,
                    const std::vector<std::string> &AlsoRead = {}) const {
    if (Files.empty() || Files.size() > MostFiles)
      return usageError("usage: kstatic-affinity " + Sub.getName() + " " +
                        Usage);
    if (Output.empty())
      return usageError(Sub.getName() + " needs a file to write: -o FILE");
    if (llvm::any_of(Label, [](unsigned char C) { return C < 0x20; }))
      return usageError("--label takes one line of text");
    std::vector<std::string> Inputs = AlsoRead;
    llvm::append_range(Inputs, Files);
    return checkInputs({{"-o", Output}}, Inputs);
  }
  static constexpr size_t Many = ~size_t(0);

  Flag<std::string> Output, Label;
  Words Files;
};

} // namespace kst

#endif
