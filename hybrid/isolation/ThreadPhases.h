// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code of a program runs while there is one thread only: before the first
// other one is made. From calls of its image, so of what the image itself does.

#pragma once

#include "hybrid/core/DataUse.h"
#include "hybrid/core/ObjectFile.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace kst {

/// Code of main() before its first call that makes a thread is alone, and code
/// behind its last call that waits for one, if none is made there; a loop
/// counts as all of its rounds. So is what only such code calls, and
/// constructors. A function whose address is taken may be called by anybody.
/// Without main(): nothing is known.
class ThreadPhases {
public:
  ThreadPhases() = default; ///< nothing is known
  ThreadPhases(const ObjectFile &File, const std::vector<CodeEdge> &Edges);

  /// Whether some call makes a thread.
  bool makesThreads() const { return Makes; }
  /// Whether the instruction runs while there is one thread.
  bool isAlone(uint64_t Code) const;
  /// Whether the function of that symbol is run by the first thread only.
  bool isOfMain(uint32_t Symbol) const { return OfMain.contains(Symbol); }

private:
  struct Function {
    uint64_t Begin = 0, End = 0;
    uint32_t Symbol = 0;
    bool Makes = false; ///< a thread, somewhere, itself or what it calls
    bool Taken = false, Early = false; ///< Early: a constructor
    bool Alone = false, OfMain = false;
  };
  struct Call {
    size_t From, To; ///< functions
    uint64_t Code;
  };
  void findFunctions(const ObjectFile &File);
  void findCalls(const std::vector<CodeEdge> &Edges);
  void spread(bool Function::*What);
  void findSpan(const std::vector<CodeEdge> &Edges);
  void findAlone();
  size_t functionAt(uint64_t Code) const;

  std::vector<Function> Functions; ///< by address
  std::vector<Call> Calls;
  std::set<uint32_t> OfMain;                         ///< symbols
  std::vector<std::pair<uint64_t, uint64_t>> Tables; ///< of constructors
  static constexpr size_t None = ~size_t(0);
  size_t Main = None;
  bool Makes = false;
  /// Of main(): the first instruction that other threads may run beside.
  uint64_t First = 0;
};

} // namespace kst
