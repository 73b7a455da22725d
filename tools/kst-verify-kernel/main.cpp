// SPDX-License-Identifier: GPL-2.0-or-later
//
// kst-verify-kernel: is nothing counted where it must not be. Works on what
// the compiler left, not on what the pass believes to have done.

#include "passes/verify/VerifyReport.h"
#include "tools/kst-verify-kernel/Options.h"
#include "analyzer/files/OutputFile.h"

#include "llvm/Support/raw_ostream.h"

namespace {

enum ExitCode { ExitClean = 0, ExitFindings = 1, ExitUsage = 2 };

bool complain(llvm::Error E) {
  llvm::errs() << "kst-verify-kernel: " << llvm::toString(std::move(E)) << "\n";
  return false;
}

/// All files to check; false, and said, if a build directory is none.
bool collect(const kst::VerifyOptions &Given, std::vector<kst::Input> &Files) {
  for (const std::string &File : Given.Files)
    Files.push_back(kst::namedInput(File));
  for (const std::string &File : Given.Uncounted)
    Files.push_back({File, "uncounted"});
  for (const std::string &Tree : Given.Trees) {
    auto Found = kst::inputsOfTree(Tree);
    if (!Found)
      return complain(Found.takeError());
    Files.insert(Files.end(), Found->begin(), Found->end());
  }
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  std::optional<kst::VerifyOptions> Given = kst::parseVerifyOptions(Argc, Argv);
  if (!Given)
    return ExitUsage;
  std::vector<kst::Input> Files;
  if (!collect(*Given, Files))
    return ExitUsage;
  kst::VerifyResults Results;
  bool Good = true;
  for (const kst::Input &File : Files) {
    auto Result = kst::checkFile(File);
    if (Result)
      Results.emplace_back(File, std::move(*Result));
    else
      Good = complain(Result.takeError());
  }
  if (!Good)
    return ExitUsage; // part of an answer could be taken for all of it
  if (!Given->Quiet && Given->Json != "-")
    llvm::outs() << kst::verifyText(Results);
  llvm::outs().flush();
  if (!Given->Json.empty())
    if (llvm::Error E = kst::writeFile(Given->Json, kst::verifyJson(Results)))
      return complain(std::move(E)), ExitUsage;
  return kst::verdict(Results) == kst::Verdict::Clean ? ExitClean
                                                      : ExitFindings;
}
