// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/InterruptGuard.h"

#include <initializer_list>
#include <sys/signalfd.h>
#include <unistd.h>

namespace kst {

InterruptGuard::InterruptGuard() {
  sigset_t Wanted;
  sigemptyset(&Wanted);
  for (int Signal : {SIGINT, SIGTERM}) {
    struct sigaction Now;
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_handler != SIG_IGN)
      sigaddset(&Wanted, Signal);
  }
  sigprocmask(SIG_BLOCK, &Wanted, &Before);
  Fd = signalfd(-1, &Wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  if (Fd < 0)
    sigprocmask(SIG_SETMASK, &Before, nullptr);
}

InterruptGuard::~InterruptGuard() {
  if (Fd < 0)
    return;
  interrupted(); // what came is ours; it must not hit the caller later
  ::close(Fd);
  sigprocmask(SIG_SETMASK, &Before, nullptr);
}

bool InterruptGuard::interrupted() {
  signalfd_siginfo Info;
  while (Fd >= 0 && ::read(Fd, &Info, sizeof(Info)) == sizeof(Info))
    Came = true;
  return Came;
}

void InterruptGuard::leaveToParent() {
  if (Fd >= 0)
    ::close(Fd);
  Fd = -1;
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  sigset_t None;
  sigemptyset(&None);
  sigprocmask(SIG_SETMASK, &None, nullptr);
}

} // namespace kst
