// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/Cc1.h"

#include "analyzer/compile/LlvmCompat.h"

#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace kst {

const char *clangExecutable() { return KST_CLANG_EXECUTABLE; }

Expected<std::vector<std::string>> toCc1(const AdjustedCommand &Command) {
  std::vector<const char *> Args{clangExecutable(), "-fsyntax-only"};
  for (const std::string &Arg : Command.Args)
    Args.push_back(Arg.c_str());

  IntrusiveRefCntPtr<vfs::FileSystem> Files(
      vfs::createPhysicalFileSystem().release());
  if (std::error_code Why =
          Files->setCurrentWorkingDirectory(Command.Directory))
    return createStringError(Why, "%s: %s", Command.Directory.c_str(),
                             Why.message().c_str());

  clang::TextDiagnosticBuffer Messages;
  compat::DiagnosticOptionsPtr DiagOptions(new clang::DiagnosticOptions);
  std::vector<std::string> Cc1;
  clang::CreateInvocationOptions Options;
  Options.Diags = compat::makeDiagnostics(Messages, DiagOptions);
  Options.VFS = Files;
  Options.CC1Args = &Cc1;
  if (clang::createInvocation(Args, Options) &&
      Messages.err_begin() == Messages.err_end())
    return Cc1;
  std::string Why = "the clang driver made no job of the command";
  if (Messages.err_begin() != Messages.err_end())
    Why = Messages.err_begin()->second;
  return createStringError(std::errc::invalid_argument, Why.c_str());
}

} // namespace kst
