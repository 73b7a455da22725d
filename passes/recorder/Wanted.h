// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which addresses are recorded where not all are.

#ifndef KST_PASSES_RECORDER_WANTED_H
#define KST_PASSES_RECORDER_WANTED_H

#include "passes/recorder/Guest.h"

#include <atomic>
#include <memory>

namespace kst {

class WantedPlaces {
public:
  WantedPlaces(const RecorderSettings &S, const Guest &Memory)
      : S(S), Memory(Memory) {}
  /// Once the guest's memory is mapped.
  void start() {
    if (S.Filter)
      Grains = std::make_unique<std::atomic<uint64_t>[]>(
          (Memory.frames() << 12) / GrainBytes / 64 + 1);
  }

  bool has(uint64_t Address) const {
    if (!S.Filter)
      return true;
    if (Memory.inDirectMap(Address)) {
      uint64_t At = (Address - S.DirectMap) / GrainBytes;
      if (Grains[At / 64].load(std::memory_order_relaxed) >> At % 64 & 1)
        return true;
    }
    for (const AddressRange &R : S.Wanted)
      if (R.has(Address))
        return true;
    return false;
  }

  /// Of addresses in the direct map; others are ignored. Any thread.
  void set(uint64_t Begin, uint64_t Bytes, bool Wanted) {
    if (!S.Filter || !Bytes || !Memory.inDirectMap(Begin) ||
        !Memory.inDirectMap(Begin + Bytes - 1))
      return;
    for (uint64_t At = (Begin - S.DirectMap) / GrainBytes;
         At <= (Begin + Bytes - 1 - S.DirectMap) / GrainBytes; ++At)
      if (uint64_t Bit = uint64_t(1) << At % 64; Wanted)
        Grains[At / 64].fetch_or(Bit, std::memory_order_relaxed);
      else
        Grains[At / 64].fetch_and(~Bit, std::memory_order_relaxed);
  }

  /// The wanted site of an allocation; null: there is none.
  const WantedSite *site(uint64_t Caller, uint64_t Asked) const {
    for (const WantedSite &W : S.WantedSites)
      if (W.has(Caller, Asked))
        return &W;
    return nullptr;
  }

private:
  static constexpr uint64_t GrainBytes = 8; ///< objects are aligned to this
  const RecorderSettings &S;
  const Guest &Memory;
  std::unique_ptr<std::atomic<uint64_t>[]> Grains; ///< a bit each
};

} // namespace kst

#endif
