// SPDX-License-Identifier: GPL-2.0-or-later
//
// How far the run is, for a person who waits: one line that is written over on
// a terminal, a plain line now and then where the output is kept.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace kst {

enum class ProgressStyle {
  Silent,
  Overprint, ///< a terminal: "[12/47] kernel/sched/core.c", one line
  Lines      ///< a file or pipe: such a line every few seconds
};

/// What suits this stream: Silent when Quiet, Overprint on a terminal that
/// can move its cursor (TERM is not "dumb"), else Lines.
ProgressStyle progressStyle(const llvm::raw_ostream &Out, bool Quiet);

class Progress {
public:
  /// Milliseconds since some moment; a test brings its own.
  using ClockFunction = std::function<uint64_t()>;

  Progress(llvm::raw_ostream &Out, ProgressStyle Style, unsigned Columns = 80,
           ClockFunction Clock = {});
  ~Progress() { clear(); }

  /// Shows that Done of Total units are finished and Name is being worked on.
  void show(size_t Done, size_t Total, llvm::StringRef Name);

  /// Takes the overprinted line away, so that something else can be printed.
  void clear();

private:
  llvm::raw_ostream &Out;
  ProgressStyle Style;
  unsigned Columns;
  ClockFunction Clock;
  uint64_t LastMs = 0;
  bool OnLine = false;
};

} // namespace kst
