// SPDX-License-Identifier: GPL-2.0-or-later
//
// kst-layout: the layout stage by itself, on layout problems in files. For
// benchmarks, for checking the optimiser against other solvers, and for bug
// reports that need no kernel tree.

#include "hybrid/layout/InstanceFile.h"
#include "tools/kst-layout/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace {

bool complain(const llvm::Twine &Message) {
  llvm::errs() << "kst-layout: " << Message << "\n";
  return false;
}

/// Solves what `Text` says; `From` is file and line.
bool solveOne(llvm::StringRef Text, const llvm::Twine &From,
              const kst::SolverOptions &Given) {
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

bool solveFile(const std::string &File, const kst::SolverOptions &Given) {
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
  std::optional<kst::SolverOptions> Given = kst::parseSolverOptions(Argc, Argv);
  if (!Given)
    return 2;
  bool Good = true;
  for (const std::string &File : Given->Files)
    Good &= solveFile(File, *Given);
  return Good ? 0 : 1;
}
