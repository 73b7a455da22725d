// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose objects share slabs: whether the pages of a context could be moved by
// themselves with the allocator as it is.

#pragma once

#include "hybrid/contexts/Contexts.h"

namespace kst {

/// Collects the objects of one moment.
class PurityCount {
public:
  /// `Context` 0: not known.
  void object(uint64_t Slab, uint32_t SlabBytes, uint32_t Type,
              uint64_t Address, uint32_t Context) {
    Objects.push_back({Type, Context, SlabBytes, Slab, Address});
  }
  /// Adds what the moment says, by type; then it is empty.
  void addTo(std::vector<Purity> &Types);

private:
  struct Object {
    uint32_t Type, Context, SlabBytes;
    uint64_t Slab, Address;
  };
  std::vector<Object> Objects;
};

} // namespace kst
