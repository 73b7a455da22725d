// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/facts/FrontEndRun.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"

using namespace clang;

namespace kst {
namespace {

class FirstError : public DiagnosticConsumer {
public:
  std::string Message;

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Error || !Message.empty())
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      PresumedLoc Where =
          Info.getSourceManager().getPresumedLoc(Info.getLocation());
      if (Where.isValid())
        Message = std::string(Where.getFilename()) + ":" +
                  std::to_string(Where.getLine()) + ": ";
    }
    Message += Text.str();
  }
};

} // namespace

llvm::Error runFrontEnd(llvm::ArrayRef<std::string> Args,
                        const std::string &Directory,
                        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
                        std::unique_ptr<FrontendAction> Action) {
  FileSystemOptions Options;
  Options.WorkingDir = Directory;
  llvm::IntrusiveRefCntPtr<FileManager> Manager(
      new FileManager(Options, std::move(Files)));
  std::vector<std::string> Command{"clang", "-fsyntax-only", "-w"};
  Command.insert(Command.end(), Args.begin(), Args.end());
  FirstError Errors;
  tooling::ToolInvocation Invocation(std::move(Command), std::move(Action),
                                     Manager.get());
  Invocation.setDiagnosticConsumer(&Errors);
  const bool Good = Invocation.run();
  if (Good && Errors.Message.empty())
    return llvm::Error::success();
  return llvm::createStringError(Errors.Message.empty()
                                     ? "the compiler front end gave up"
                                     : Errors.Message);
}

} // namespace kst
