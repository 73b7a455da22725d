// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/Progress.h"

#include "llvm/Support/Process.h"

#include <string>

using namespace llvm;

namespace kst {

/// Often enough to look alive, seldom enough to cost nothing.
static constexpr uint64_t OverprintEveryMs = 50;
static constexpr uint64_t LineEveryMs = 5000;

ProgressStyle progressStyle(const raw_ostream &Out, bool Quiet) {
  if (Quiet)
    return ProgressStyle::Silent;
  auto Terminal = sys::Process::GetEnv("TERM");
  bool Smart = Terminal && !Terminal->empty() && *Terminal != "dumb";
  return Out.is_displayed() && Smart ? ProgressStyle::Overprint
                                     : ProgressStyle::Lines;
}

static uint64_t steadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Progress::Progress(raw_ostream &Out, ProgressStyle Style, unsigned Columns,
                   ClockFunction Clock)
    : Out(Out), Style(Style), Columns(Columns ? Columns : 80),
      Clock(Clock ? std::move(Clock) : steadyMs) {
  LastMs = this->Clock();
}

void Progress::show(size_t Done, size_t Total, StringRef Name) {
  if (Style == ProgressStyle::Silent)
    return;
  uint64_t Now = Clock();
  bool Overprint = Style == ProgressStyle::Overprint;
  bool First = Overprint && !OnLine;
  if (!First && Now - LastMs < (Overprint ? OverprintEveryMs : LineEveryMs))
    return;
  LastMs = Now;
  std::string Line = ("[" + Twine(Done) + "/" + Twine(Total) + "] ").str();
  size_t Room = Columns > Line.size() + 4 ? Columns - 1 - Line.size() : 3;
  // The end of a path says more than its beginning.
  if (Overprint && Name.size() > Room)
    Line += ("..." + Name.take_back(Room - 3)).str();
  else
    Line += Name;
  if (Overprint) {
    Out << '\r' << Line << "\x1b[K";
    OnLine = true;
  } else {
    Out << Line << '\n';
  }
  Out.flush();
}

void Progress::clear() {
  if (!OnLine)
    return;
  Out << "\r\x1b[K";
  Out.flush();
  OnLine = false;
}

} // namespace kst
