// SPDX-License-Identifier: GPL-2.0-or-later
//
// `solve`: the layout stage by itself, on layout problems in files. For
// benchmarks, for checking the optimiser against other solvers, and for bug
// reports that need no kernel tree.

#include "test/kst-dev/Commands.h"
#include "test/kst-dev/InstanceFile.h"
#include "test/kst-dev/Solve.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {
namespace {

class SolveCommand : public Command {
public:
  SolveCommand()
      : Command("solve",
                "Layout problems solved: kst-instance/1, one in FILE.json, one "
                "per line in any other FILE (-: standard input)",
                "[--steps N] [--frontier] FILE...") {}

  llvm::Expected<ExitCode> run() override {
    if (Files.empty())
      return usageError(
          "name the files with layout problems, or - for standard "
          "input; see --help");
    if (Steps.given())
      Options.Steps = Steps;
    Options.Seed = Seed;
    Options.Baselines = !NoBaselines;
    Options.Frontier = Frontier;
    Options.Times = !NoTimes;
    bool Good = true;
    for (const std::string &File : Files)
      Good &= solveFile(File);
    return Good ? ExitDone : ExitNoResult;
  }

private:
  bool failed(const llvm::Twine &From, const llvm::Twine &Why) const {
    diagnostics().warn((From + ": " + Why).str());
    return false;
  }

  /// Solves what `Text` says; `From` is file and line.
  bool solveOne(llvm::StringRef Text, const llvm::Twine &From) const {
    Result<Instance> Problem = readInstance(Text);
    if (!Problem)
      return failed(From, Problem.error());
    Result<std::string> Answer = solve(*Problem, Options);
    if (!Answer)
      return failed(From, Answer.error());
    llvm::outs() << *Answer;
    llvm::outs().flush();
    return true;
  }

  bool solveFile(const std::string &File) const {
    auto Buffer = llvm::MemoryBuffer::getFileOrSTDIN(File);
    if (!Buffer)
      return failed(File, Buffer.getError().message());
    llvm::StringRef Rest = (*Buffer)->getBuffer();
    if (llvm::StringRef(File).ends_with(".json"))
      return solveOne(Rest, File);
    bool Good = true;
    for (unsigned Line = 1; !Rest.empty(); ++Line) {
      auto [Text, After] = Rest.split('\n');
      if (!Text.trim().empty())
        Good &= solveOne(Text, File + ":" + llvm::Twine(Line));
      Rest = After;
    }
    return Good;
  }

  SolveOptions Options;
  Words Files{Sub, "FILE..."};
  Flag<uint64_t> Steps{{Sub, OfAnalysis, "steps", "N",
                        "Effort of the search in elementary steps (default: "
                        "that of kstatic-affinity)"}};
  Flag<uint64_t> Seed{
      {Sub, OfAnalysis, "seed", "N", "Seed of the clustering (default 1)"}, 1};
  Flag<bool> NoBaselines{
      {Sub, OfOutput, "no-baselines", "", "Do not price the baselines"}};
  Flag<bool> Frontier{
      {Sub, OfOutput, "frontier", "",
       "Also the costs after so many moves, found and truncated"}};
  Flag<bool> NoTimes{{Sub, OfOutput, "no-times", "",
                      "No CPU seconds: same input, same bytes"}};
};

} // namespace

const MakeCommand MakeSolve = make<SolveCommand>;

} // namespace kst
