// SPDX-License-Identifier: GPL-2.0-or-later
//
// kst-verify-kernel: is nothing counted where it must not be. Works on what
// the compiler left, not on what the pass believes to have done.

#include "analyzer/files/OutputFile.h"
#include "passes/verify/VerifyReport.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace cl = llvm::cl;

namespace {

struct VerifyOptions {
  std::vector<std::string> Files;
  std::vector<std::string> Uncounted; ///< must hold no reference at all
  std::vector<std::string> Trees;     ///< build directories
  std::string Json;                   ///< "": none; "-": standard output
  bool Quiet = false;
};

/// On a usageError, prints to stderr what to do and returns nothing.
std::optional<VerifyOptions> parseVerifyOptions(int Argc, char **Argv) {
  // The LLVM library brings hundreds of options of its own passes.
  cl::ResetCommandLineParser();
  cl::OptionCategory Ours("kst-verify-kernel options");
  cl::list<std::string> Trees(
      "tree", cl::value_desc("DIR"), cl::cat(Ours),
      cl::desc("Check a kernel build: vmlinux.o, the modules, and all of "
               "vDSO, purgatory, boot, real-mode and EFI stub code"));
  cl::list<std::string> Uncounted(
      "uncounted", cl::value_desc("FILE"), cl::cat(Ours),
      cl::desc("FILE must hold no reference at all, whatever its name says"));
  cl::opt<std::string> Json("json", cl::value_desc("FILE"), cl::cat(Ours),
                            cl::desc("Also write the result as JSON; - is "
                                     "standard output, then without text"));
  cl::opt<bool> Quiet("quiet", cl::cat(Ours),
                      cl::desc("No text, only the exit status"));
  cl::list<std::string> Files(cl::Positional, cl::desc("[FILE...]"),
                              cl::cat(Ours));
  cl::extrahelp More(
      "\nFILE: vmlinux.o, modules (.ko), object files and archives of the "
      "kernel.\nFiles of vDSO, purgatory, boot, real-mode and EFI stub code "
      "are known by\ntheir path and must hold no reference at all.\n"
      "Exit status: 0 clean; 1 forbidden references, or nothing is "
      "instrumented;\n2 usage, or a file that cannot be checked.\n");
  cl::HideUnrelatedOptions(Ours);
  std::string Errors;
  llvm::raw_string_ostream ErrorStream(Errors);
  if (!cl::ParseCommandLineOptions(
          Argc, Argv,
          "Checks that no code of an instrumented kernel counts where it must "
          "not:\nnoinstr, entry, cpuidle and head sections, thunks, early "
          "code, and whatever\ndoes not run as part of the kernel.\n",
          &ErrorStream)) {
    llvm::errs() << Errors;
    return std::nullopt;
  }
  if (Files.empty() && Uncounted.empty() && Trees.empty()) {
    llvm::errs() << "kst-verify-kernel: name vmlinux.o of the build, or its "
                    "directory with --tree; see --help\n";
    return std::nullopt;
  }
  VerifyOptions Given;
  Given.Files.assign(Files.begin(), Files.end());
  Given.Uncounted.assign(Uncounted.begin(), Uncounted.end());
  Given.Trees.assign(Trees.begin(), Trees.end());
  Given.Json = Json;
  Given.Quiet = Quiet;
  return Given;
}

enum ExitCode { ExitClean = 0, ExitFindings = 1, ExitUsage = 2 };

bool complain(llvm::Error E) {
  llvm::errs() << "kst-verify-kernel: " << llvm::toString(std::move(E)) << "\n";
  return false;
}

/// All files to check; false, and said, if a build directory is none.
bool collect(const VerifyOptions &Given, std::vector<kst::Input> &Files) {
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
  std::optional<VerifyOptions> Given = parseVerifyOptions(Argc, Argv);
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
