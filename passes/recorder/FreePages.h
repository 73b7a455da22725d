// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the guest's page allocator has: zones, free lists, lists of each CPU.

#ifndef KST_PASSES_RECORDER_FREEPAGES_H
#define KST_PASSES_RECORDER_FREEPAGES_H

#include "hybrid/trace/Trace.h"
#include "passes/recorder/Guest.h"

#include <atomic>
#include <vector>

namespace kst {

/// Not for several threads at once. Reads while other CPUs of the guest run:
/// what they do at that moment may be missing or double.
class FreePages {
public:
  FreePages(const RecorderSettings &S, const Guest &Memory)
      : S(S), Z(S.Zones), Memory(Memory) {}

  /// Events of kind PageState, without time: of the first call all that is
  /// there, of later ones what has changed in the limits of zones. PerCpu: by
  /// CPU, where its per-CPU area is; 0: it does not run.
  std::vector<TraceEvent> changes(const std::vector<uint64_t> &PerCpu);
  bool isTold() const { return Told; }

private:
  struct Zone {
    uint64_t Address, Start, Span;
    uint64_t Marks[2], Lists[2]; ///< as last told
  };
  void findZones();
  void limits(uint32_t Number, std::vector<TraceEvent> &Out, bool All);
  void blocks(uint32_t Number, std::vector<TraceEvent> &Out);
  void freeLists(uint32_t Number, std::vector<TraceEvent> &Out);
  void cpuLists(uint32_t Number, const std::vector<uint64_t> &PerCpu,
                std::vector<TraceEvent> &Out);
  template <typename F>
  void forEachOnList(const Zone &Of, uint64_t Head, F &&Take) const;

  const RecorderSettings &S;
  const PageZones &Z;
  const Guest &Memory;
  std::vector<Zone> Zones;
  std::atomic<bool> Told = false;
};

} // namespace kst

#endif
