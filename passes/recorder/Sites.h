// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instructions of the guest that a recording names, by number.

#ifndef KST_PASSES_RECORDER_SITES_H
#define KST_PASSES_RECORDER_SITES_H

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kst {

/// An instruction that accesses memory, as a word that QEMU hands back with
/// each access: nothing has to be read to know it.
struct RecordedSite {
  uint32_t Number;
  bool Bulk; ///< it is in code that allocates or frees many objects at once

  void *word() const {
    return reinterpret_cast<void *>(uintptr_t(Number) << 1 | Bulk);
  }
  static RecordedSite of(void *Word) {
    auto Bits = reinterpret_cast<uintptr_t>(Word);
    return {static_cast<uint32_t>(Bits >> 1), (Bits & 1) != 0};
  }
};

class RecordedSites {
public:
  /// Numbers begin at 0 and have no gaps; one address has one. Any thread.
  uint32_t number(uint64_t Pc) {
    std::lock_guard<std::mutex> Held(Lock);
    auto [At, New] = Numbers.try_emplace(Pc, Numbers.size());
    uint32_t Number = At->second;
    if (New) {
      auto &Chunk = Chunks[Number / ChunkSites % Chunks.size()];
      if (!Chunk)
        Chunk = std::make_unique<uint64_t[]>(ChunkSites);
      Chunk[Number % ChunkSites] = Pc;
      Fresh.push_back(Pc);
    }
    return Number;
  }

  /// Address of a site. Takes no lock: who has a number got it after its
  /// address was stored, and that stays where it is.
  uint64_t pc(uint32_t Number) const {
    return Chunks[Number / ChunkSites % Chunks.size()][Number % ChunkSites];
  }

  /// Addresses of the numbers since the last call, in their order. Any thread.
  std::vector<uint64_t> takeNew() {
    std::lock_guard<std::mutex> Held(Lock);
    return std::exchange(Fresh, {});
  }

private:
  static constexpr size_t ChunkSites = 1 << 14;
  std::mutex Lock;
  std::unordered_map<uint64_t, uint32_t> Numbers;
  std::array<std::unique_ptr<uint64_t[]>, 1 << 14> Chunks; ///< 2^28 sites
  std::vector<uint64_t> Fresh;
};

} // namespace kst

#endif
