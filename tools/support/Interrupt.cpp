// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/support/Interrupt.h"

#include "hybrid/pipeline/Errors.h"

#include "llvm/Support/Signals.h"

#include <csignal>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace kst {

static const char *ProgramName = "";

/// In a signal handler: nothing but system calls.
static void endInterrupted() {
  static constexpr char Said[] = ": interrupted\n";
  iovec Line[] = {{const_cast<char *>(ProgramName), std::strlen(ProgramName)},
                  {const_cast<char *>(Said), sizeof(Said) - 1}};
  if (::writev(STDERR_FILENO, Line, 2) < 0)
    ::_exit(ExitInterrupted); // nobody listens
  ::_exit(ExitInterrupted);
}

void exitWhenInterrupted(const char *Program) {
  ProgramName = Program;
  std::vector<int> Ignored;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Now;
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_handler == SIG_IGN)
      Ignored.push_back(Signal);
  }
  // LLVM's handler removes what its TempFile made, then calls this.
  llvm::sys::SetInterruptFunction(endInterrupted);
  for (int Signal : Ignored)
    ::signal(Signal, SIG_IGN);
}

} // namespace kst
