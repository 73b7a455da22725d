// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kst-layout/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace kst {

std::optional<SolverOptions> parseSolverOptions(int Argc, char **Argv) {
  // The LLVM library brings hundreds of options of its own passes.
  cl::ResetCommandLineParser();
  cl::OptionCategory Ours("kst-layout options");
  cl::opt<uint64_t> Steps("steps", cl::init(0),
                          cl::desc("Effort of the search in elementary steps "
                                   "(default: that of kstatic-affinity)"),
                          cl::value_desc("N"), cl::cat(Ours));
  cl::opt<uint64_t> Seed("seed", cl::init(1),
                         cl::desc("Seed of the clustering (default 1)"),
                         cl::value_desc("N"), cl::cat(Ours));
  cl::opt<bool> NoBaselines(
      "no-baselines", cl::desc("Do not price the baselines"), cl::cat(Ours));
  cl::opt<bool> Frontier(
      "frontier",
      cl::desc("Also the costs after so many moves, found and truncated"),
      cl::cat(Ours));
  cl::opt<bool> NoTimes("no-times",
                        cl::desc("No CPU seconds: same input, same bytes"),
                        cl::cat(Ours));
  cl::list<std::string> Files(cl::Positional, cl::desc("FILE..."),
                              cl::cat(Ours));
  cl::extrahelp More(
      "\nReads layout problems (kst-instance/1: FILE.json holds one, any other "
      "FILE one\nper line, - is standard input) and prints one line of JSON "
      "for each.\nExit status: 0 done, 1 some could not be solved, 2 usage.\n");
  cl::HideUnrelatedOptions(Ours);
  std::string Errors;
  llvm::raw_string_ostream ErrorStream(Errors);
  if (!cl::ParseCommandLineOptions(
          Argc, Argv, "Runs the layout stage on layout problems.\n",
          &ErrorStream)) {
    llvm::errs() << Errors;
    return std::nullopt;
  }
  if (Files.empty()) {
    llvm::errs() << "kst-layout: name the files with layout problems, or - "
                    "for standard input; see --help\n";
    return std::nullopt;
  }
  SolverOptions Given;
  if (Steps.getNumOccurrences())
    Given.Steps = Steps;
  Given.Seed = Seed;
  Given.Baselines = !NoBaselines;
  Given.Frontier = Frontier;
  Given.Times = !NoTimes;
  Given.Files.assign(Files.begin(), Files.end());
  return Given;
}

} // namespace kst
