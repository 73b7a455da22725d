// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kst-verify-kernel/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

namespace kst {

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

} // namespace kst
