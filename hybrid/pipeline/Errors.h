// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the pipeline says what went wrong: llvm::Error, in which the mistakes of
// the user are a type of their own. Several errors may be joined into one.

#ifndef KST_HYBRID_PIPELINE_ERRORS_H
#define KST_HYBRID_PIPELINE_ERRORS_H

#include "hybrid/core/Result.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace kst {

/// What a process returns; part of the interface (README, man page).
enum ExitCode {
  ExitDone = 0,
  ExitNoResult = 1,
  ExitUsage = 2,
  ExitLowCoverage = 3,
  ExitFailOn = 4,  ///< done, and --fail-on names something that was found
  ExitPartial = 5, ///< done, but not for all structs or paths asked for
  ExitInterrupted = 130,
};

/// Of two ways to end, the one that says what is worse: an interrupt, then
/// mistakes, missing results, what --fail-on names, and last an answer to a
/// part of what was asked.
ExitCode worse(ExitCode One, ExitCode Other);

/// An error that says how the process should end. All others end it with
/// ExitNoResult.
class ExitError : public llvm::ErrorInfo<ExitError> {
public:
  static char ID;
  ExitError(ExitCode Code, std::string Message)
      : Code(Code), Message(std::move(Message)) {}
  ExitCode code() const { return Code; }
  void log(llvm::raw_ostream &Out) const override;
  std::error_code convertToErrorCode() const override;

private:
  ExitCode Code;
  std::string Message;
};

/// What the user can mend: exit status 2.
llvm::Error usageError(const llvm::Twine &Message);
/// No result, through nobody's usageError: exit status 1.
llvm::Error failure(const llvm::Twine &Message);
/// SIGINT or SIGTERM came: exit status 130.
llvm::Error interrupted();

/// One error for each message, all with this code; success for none.
llvm::Error errors(ExitCode Code, const std::vector<std::string> &Messages);

/// Whether the run was interrupted; the error stays as it is.
bool isInterrupt(llvm::Error &E);

/// The same error with `Context` before its first message, and the same code.
llvm::Error within(const llvm::Twine &Context, llvm::Error E);

/// What hybrid/ answers, as a usageError of the user or as a failure.
template <typename T>
llvm::Expected<T> orMistake(Result<T> Answer, const llvm::Twine &Context = "") {
  if (!Answer)
    return usageError(Context + Answer.error());
  return std::move(*Answer);
}
template <typename T>
llvm::Expected<T> orFailure(Result<T> Answer, const llvm::Twine &Context = "") {
  if (!Answer)
    return failure(Context + Answer.error());
  return std::move(*Answer);
}

/// Who is told, sentence by sentence, what the result does not hold. Either may
/// be unset. Called by the thread that called the pipeline.
struct DiagnosticConsumer {
  std::function<void(const std::string &)> Note; ///< changes no result
  std::function<void(const std::string &)> Warn; ///< less was done than asked

  void note(const std::string &Message) const {
    if (Note)
      Note(Message);
  }
  void warn(const std::string &Message) const {
    if (Warn)
      Warn(Message);
  }
  /// Warns of each error that is joined in E; the worst of their codes.
  ExitCode report(llvm::Error E) const;
};

} // namespace kst

#endif
