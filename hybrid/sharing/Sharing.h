// SPDX-License-Identifier: GPL-2.0-or-later
//
// What threads or CPUs share, falsely or truly: objects of every kind, each
// with who writes and who uses it, what it costs, and what would help.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/LineEdit.h"
#include "hybrid/core/ToolId.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// What lies on one line and is used by different threads.
enum class SharedParts : uint8_t {
  Fields,   ///< of one object
  Elements, ///< of an array
  Objects,  ///< of a type, or allocated blocks, side by side
  Globals,  ///< variables side by side
  Same,     ///< none: all use the same bytes
};

struct SharingUser {
  Site Where;
  std::string Role; ///< the threads that run it; "": not known
  bool Writes = false;
  double Times = 0; ///< share of the accesses of the finding
};

/// Something to write, what it saves and what it takes.
struct SharingRemedy {
  std::string Text;
  uint64_t Bytes = 0;          ///< more than now, for each object or element
  std::vector<LineEdit> Edits; ///< all that it takes; none: only people can
  /// Cycles of the finding with the patch that has it; negative: none has.
  double Patched = -1;
};

struct SharingFinding {
  std::string Object; ///< a variable, what a pointer leads to, or a type
  std::string Type;   ///< of the object or the element; "": none, or not known
  SharedParts Between = SharedParts::Same;
  /// Of Fields: the one that is written, the one that suffers most, and more;
  /// of Globals, and of Objects of two kinds, both; of Elements and other
  /// Objects the members that are written. Dearest first.
  std::vector<std::string> Fields;
  uint64_t SizeBytes = 0, StrideBytes = 0; ///< of an element; 0: not known
  /// Of the type, that a trace has: each takes the bytes of a remedy. 0: not
  /// known, or a variable.
  uint64_t Objects = 0;
  /// Cycles lost per access of the threads to anything shared or not.
  double Cycles = 0;
  uint64_t Misses = 0;                     ///< of a trace
  std::vector<SharingUser> Writers, Users; ///< most often first
  std::vector<SharingRemedy> Remedies;     ///< the best first
};

struct SharingReport {
  ToolId Tool;
  std::string Evidence; ///< source, counts or trace
  std::string Machine;  ///< whose cycles
  uint32_t LineBytes = 64;
  std::vector<std::string> Threads;        ///< in words
  std::vector<SharingFinding> False, True; ///< most cycles first
  std::vector<std::string> Limits;         ///< what was not looked at
};

} // namespace kst
