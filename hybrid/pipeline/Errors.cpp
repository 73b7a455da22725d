// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Errors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

char ExitError::ID = 0;

static int weight(ExitCode Code) {
  switch (Code) { // -Wswitch: a new status needs its place
  case ExitDone:
    return 0;
  case ExitLowCoverage:
    return 1;
  case ExitPartial:
    return 2;
  case ExitFailOn:
    return 3;
  case ExitNoResult:
    return 4;
  case ExitUsage:
    return 5;
  case ExitInterrupted:
    return 6;
  }
  llvm_unreachable("no exit status");
}

ExitCode worse(ExitCode One, ExitCode Other) {
  return weight(One) < weight(Other) ? Other : One;
}

void ExitError::log(llvm::raw_ostream &Out) const { Out << Message; }

std::error_code ExitError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error usageError(const llvm::Twine &Message) {
  return llvm::make_error<ExitError>(ExitUsage, Message.str());
}

llvm::Error failure(const llvm::Twine &Message) {
  return llvm::make_error<ExitError>(ExitNoResult, Message.str());
}

llvm::Error interrupted() {
  return llvm::make_error<ExitError>(ExitInterrupted, "interrupted");
}

llvm::Error errors(ExitCode Code, const std::vector<std::string> &Messages) {
  llvm::Error All = llvm::Error::success();
  for (const std::string &Message : Messages)
    All = llvm::joinErrors(std::move(All),
                           llvm::make_error<ExitError>(Code, Message));
  return All;
}

static ExitCode codeOf(const llvm::ErrorInfoBase &Info) {
  return Info.isA<ExitError>() ? static_cast<const ExitError &>(Info).code()
                               : ExitNoResult;
}

llvm::Error within(const llvm::Twine &Context, llvm::Error E) {
  ExitCode Code = ExitDone;
  std::string Message;
  llvm::handleAllErrors(std::move(E), [&](const llvm::ErrorInfoBase &Info) {
    Code = worse(Code, codeOf(Info));
    if (!Message.empty())
      Message += "\n";
    Message += Info.message();
  });
  if (Code == ExitDone)
    return llvm::Error::success();
  return llvm::make_error<ExitError>(Code, Context.str() + Message);
}

bool isInterrupt(llvm::Error &E) {
  bool Found = false;
  auto Look = [&](std::unique_ptr<llvm::ErrorInfoBase> Info) {
    Found |= codeOf(*Info) == ExitInterrupted;
    return llvm::Error(std::move(Info));
  };
  E = llvm::handleErrors(std::move(E), Look);
  return Found;
}

ExitCode DiagnosticConsumer::report(llvm::Error E) const {
  ExitCode Worst = ExitDone;
  llvm::handleAllErrors(std::move(E), [&](const llvm::ErrorInfoBase &Info) {
    warn(Info.message());
    Worst = worse(Worst, codeOf(Info));
  });
  return Worst;
}

} // namespace kst
