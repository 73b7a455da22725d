// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arrays with elements that share cache lines though several CPUs write them,
// and what padding would cost.

#pragma once

#include "hybrid/isolation/SharedLines.h"

namespace kst {

struct SharedArray {
  uint32_t Global = 0;
  uint64_t Sharing = 0; ///< elements with bytes of another one on their lines
  /// How many elements one CPU alone wrote, and how many several did; 0 without
  /// a trace.
  uint64_t OwnElements = 0, CommonElements = 0;
  uint64_t OwnersBesides = 0; ///< lines on which elements have different owners
  uint64_t False = 0;         ///< misses between elements
  double Writes = 0, Reads = 0; ///< heat of functions
  std::vector<std::string> Writers, Readers;
  bool PerCpu = false;       ///< as many elements as there can be CPUs
  uint64_t PaddedStride = 0; ///< bytes
  /// Bytes that the array grows by; lines that a walk over it touches.
  uint64_t PaddingBytes = 0, LinesNow = 0, LinesPadded = 0;
};

/// Whose stride is no multiple of a line, with stores by an index after the
/// boot, or with different owners in the trace; of a program that has accesses
/// in the trace, only these. `MostCpus`: how many CPUs the
/// kernel is built for, 0: not known. Most misses first, then most heat of the
/// lesser of writers and readers.
std::vector<SharedArray>
sharedArrays(const std::vector<Global> &Globals, const ObjectFile &File,
             const GlobalUses &Uses, const std::vector<double> &Heat,
             uint64_t MostCpus, const SharedLinesAsked &Asked);

} // namespace kst
