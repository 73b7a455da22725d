// SPDX-License-Identifier: GPL-2.0-or-later
//
// kst-layout: the layout stage by itself, on layout problems in files. For
// benchmarks, for checking the optimiser against other solvers, and for bug
// reports that need no kernel tree.

#include "hybrid/layout/InstanceFile.h"
#include "tools/kst-layout/Solve.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace cl = llvm::cl;

namespace {

struct SolverOptions : kst::SolveOptions {
  std::vector<std::string> Files; ///< "-": standard input
};

/// On a mistake, prints to stderr what to do and returns nothing.
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

bool complain(const llvm::Twine &Message) {
  llvm::errs() << "kst-layout: " << Message << "\n";
  return false;
}

/// Solves what `Text` says; `From` is file and line.
bool solveOne(llvm::StringRef Text, const llvm::Twine &From,
              const SolverOptions &Given) {
  kst::Result<kst::Instance> Problem = kst::readInstance(Text);
  if (!Problem)
    return complain(From + ": " + Problem.error());
  kst::Result<std::string> Answer = kst::solve(*Problem, Given);
  if (!Answer)
    return complain(From + ": " + Answer.error());
  llvm::outs() << *Answer;
  llvm::outs().flush();
  return true;
}

bool solveFile(const std::string &File, const SolverOptions &Given) {
  auto Buffer = llvm::MemoryBuffer::getFileOrSTDIN(File);
  if (!Buffer)
    return complain(llvm::Twine(File) + ": " + Buffer.getError().message());
  llvm::StringRef Rest = (*Buffer)->getBuffer();
  if (llvm::StringRef(File).ends_with(".json"))
    return solveOne(Rest, File, Given);
  bool Good = true;
  for (unsigned Line = 1; !Rest.empty(); ++Line) {
    auto [Text, After] = Rest.split('\n');
    if (!Text.trim().empty())
      Good &= solveOne(Text, File + ":" + llvm::Twine(Line), Given);
    Rest = After;
  }
  return Good;
}

} // namespace

int main(int Argc, char **Argv) {
  std::optional<SolverOptions> Given = parseSolverOptions(Argc, Argv);
  if (!Given)
    return 2;
  bool Good = true;
  for (const std::string &File : Given->Files)
    Good &= solveFile(File, *Given);
  return Good ? 0 : 1;
}
