// SPDX-License-Identifier: GPL-2.0-or-later
//
// Cache lines on which some code writes one global and other code reads
// another, and what to declare so that they part.

#pragma once

#include "hybrid/isolation/GlobalReplay.h"
#include "hybrid/isolation/GlobalUses.h"

#include <string>
#include <vector>

namespace kst {

/// How a global is used on its line.
enum class LineRole : char {
  Quiet,   ///< nothing that is known
  Read,    ///< written at most once for RarelyWritten reads
  Written, ///< by code that runs after the boot
};
/// 16: a line that is read so often between two writes is worth keeping apart.
inline constexpr double RarelyWritten = 16;

struct LineMember {
  uint32_t Global = 0;
  LineRole Role = LineRole::Quiet;
  double Writes = 0, Reads = 0, Taken = 0;   ///< heat, on this line
  std::vector<std::string> Writers, Readers; ///< functions, hottest first
};

enum class GlobalAdvice : char {
  ReadMostly, ///< __read_mostly
  AfterInit,  ///< __ro_after_init: nothing writes it after the boot
  Aligned,    ///< ____cacheline_aligned_in_smp: what it keeps apart is before
  OwnLines,   ///< __cacheline_aligned_in_smp: a section of aligned ones; in a
              ///< program a struct around it that is aligned and so padded
  NotMostly,  ///< no __read_mostly: it is written
};

struct AdvisedGlobal {
  uint32_t Global = 0;
  GlobalAdvice What = GlobalAdvice::ReadMostly;
};

struct GlobalsLine {
  uint64_t Address = 0;
  std::vector<LineMember> Members; ///< all globals on it, by address
  /// The lesser of the heat of who writes and of who reads another global.
  double Cost = 0;
  uint64_t False = 0; ///< misses in the replay, if there was one
  std::vector<AdvisedGlobal> Advice;
  /// If all are of one file and section: an order of their definitions in
  /// which those that are read are not beside those that are written; empty if
  /// nothing of that file is large enough to part them.
  std::vector<uint32_t> Order;
};

struct SharedLinesAsked {
  uint64_t LineBytes = 64;
  /// Counts of a replay in place, by global; null: there was none. Then roles
  /// are those of the trace where it has accesses.
  const GlobalReplay *Trace = nullptr;
  /// Of a program: there are no sections for what is read mostly.
  bool Kernel = true;
};

/// Most misses first, then most cost. Of a program whose trace has all that is
/// used on a line, only those with misses. `Heat`: by symbol.
std::vector<GlobalsLine> sharedLines(const std::vector<Global> &Globals,
                                     const ObjectFile &File,
                                     const GlobalUses &Uses,
                                     const std::vector<double> &Heat,
                                     const SharedLinesAsked &Asked);

/// As it is written in the C of a kernel, or of a program.
std::string spelling(GlobalAdvice What, bool Kernel, uint64_t LineBytes);

/// Where all globals are if the advice is taken: what is read mostly behind one
/// another, what is aligned on lines of its own, all else where it was. Arrays
/// in `Padded` have elements on lines of their own.
std::vector<GlobalPlace> advisedPlaces(const std::vector<Global> &Globals,
                                       const std::vector<GlobalsLine> &Lines,
                                       const std::vector<uint32_t> &Padded,
                                       uint64_t LineBytes);

} // namespace kst
