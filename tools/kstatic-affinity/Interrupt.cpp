// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Interrupt.h"

#include "llvm/Support/Signals.h"

#include <csignal>
#include <unistd.h>
#include <vector>

namespace kst {

/// In a signal handler: nothing but system calls.
static void sayInterrupted() {
  static constexpr char Line[] = "kstatic-affinity: interrupted\n";
  if (::write(STDERR_FILENO, Line, sizeof(Line) - 1) < 0)
    return; // nobody listens
}

void exitWhenInterrupted() {
  std::vector<int> Ignored;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Now;
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_handler == SIG_IGN)
      Ignored.push_back(Signal);
  }
  // LLVM's handler removes what its TempFile made, then calls this.
  llvm::sys::SetInterruptFunction([] {
    sayInterrupted();
    ::_exit(ExitInterrupted);
  });
  for (int Signal : Ignored)
    ::signal(Signal, SIG_IGN);
}

ExitCode interruptedExit() {
  sayInterrupted();
  return ExitInterrupted;
}

} // namespace kst
