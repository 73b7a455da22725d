// SPDX-License-Identifier: GPL-2.0-or-later
//
// SIGINT and SIGTERM as something to wait for instead of something that
// happens: no handler, no global flag, nothing half done when they come.

#pragma once

#include <csignal>

namespace kst {

/// While it lives, SIGINT and SIGTERM are held back and can be asked for; at
/// its end the former state returns. Signals that were ignored before (nohup)
/// stay ignored. One at a time, on the thread that made it.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  /// Becomes readable when a signal came; for poll(). -1 if there is none.
  int descriptor() const { return Fd; }

  /// Whether a signal has come since this object was made.
  bool interrupted();

  /// In a forked child: ends on SIGTERM, leaves SIGINT to the parent (a
  /// terminal sends it to all), and has no part in this object any more.
  void leaveToParent();

private:
  sigset_t Before;
  int Fd = -1;
  bool Came = false;
};

} // namespace kst
