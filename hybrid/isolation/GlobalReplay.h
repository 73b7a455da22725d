// SPDX-License-Identifier: GPL-2.0-or-later
//
// The accesses of a trace to globals, replayed with the globals where they are
// or elsewhere: which of them miss because another CPU wrote other bytes of the
// line. Only globals are in the caches of the model: what else would push them
// out is left away, and only sharing is counted.

#pragma once

#include "hybrid/cache/CacheModel.h"
#include "hybrid/isolation/Globals.h"

#include <map>
#include <vector>

namespace kst {

/// Where a global lies in a replay.
struct GlobalPlace {
  uint64_t Address = 0;
  uint64_t StrideBytes = 0; ///< of the elements of arrays; 0: as they are
};

struct ElementCounts {
  uint64_t Loads = 0, Stores = 0;
  uint64_t Readers = 0, Writers = 0; ///< CPUs, a bit for each
};

struct GlobalCounts {
  uint64_t Loads = 0, Stores = 0;
  uint64_t Readers = 0, Writers = 0;   ///< CPUs, a bit for each
  uint64_t False = 0, True = 0;        ///< misses by sharing
  std::vector<ElementCounts> Elements; ///< of arrays
};

class GlobalReplay {
public:
  /// `Places`: by global; empty: where they are. Both outlive this. Cpus: 1 to
  /// MaxCacheCpus; LineBytes: a power of two from 16 on.
  GlobalReplay(const std::vector<Global> &Globals,
               const std::vector<GlobalPlace> &Places, unsigned Cpus,
               uint32_t LineBytes);

  /// In the order of time, with the address that the trace has.
  void access(uint64_t Address, uint32_t Bytes, unsigned Cpu, AccessKind Kind);

  const std::vector<GlobalCounts> &counts() const { return Counts; }
  /// False sharing misses of the second on what others wrote of the first; the
  /// same twice: elements of an array. A miss on several counts for each.
  const std::map<std::pair<uint32_t, uint32_t>, uint64_t> &pairs() const {
    return Pairs;
  }
  /// Of a line, by its address.
  const std::map<uint64_t, uint64_t> &lines() const { return Lines; }
  uint64_t falseMisses() const { return AllFalse; }
  uint64_t trueMisses() const { return AllTrue; }

private:
  struct Span {
    uint64_t Begin, End;
    uint32_t Global;
  };
  void blame(uint64_t Line, unsigned Cpu, uint32_t Victim);
  uint64_t placeOf(uint32_t Global, uint64_t Address) const;

  const std::vector<Global> &Globals;
  const std::vector<GlobalPlace> &Places;
  std::vector<Span> Spans; ///< by address here
  CacheModel Model;
  std::vector<GlobalCounts> Counts;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Pairs;
  std::map<uint64_t, uint64_t> Lines;
  uint64_t AllFalse = 0, AllTrue = 0;
  uint32_t Latest = 0;
};

} // namespace kst
