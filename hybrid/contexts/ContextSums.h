// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the objects of one context add up to.

#pragma once

#include <cstdint>
#include <vector>

namespace kst {

struct ContextSums {
  /// Of one type.
  struct Part {
    uint32_t Type = 0;
    uint64_t Objects = 0, Bytes = 0;
  };
  uint64_t SlabObjects = 0, SlabBytes = 0, FilePages = 0, FileBytes = 0,
           LiveBytes = 0;
  std::vector<Part> Parts; ///< few, in no order

  void slab(uint32_t Type, uint64_t Bytes, bool Lives) {
    ++SlabObjects;
    SlabBytes += Bytes;
    LiveBytes += Lives ? Bytes : 0;
    add({Type, 1, Bytes});
  }
  void pages(uint32_t Type, uint64_t Bytes, bool Lives) {
    FilePages += Bytes / 4096;
    FileBytes += Bytes;
    LiveBytes += Lives ? Bytes : 0;
    add({Type, Bytes / 4096, Bytes});
  }
  ContextSums &operator+=(const ContextSums &O) {
    SlabObjects += O.SlabObjects, SlabBytes += O.SlabBytes;
    FilePages += O.FilePages, FileBytes += O.FileBytes;
    LiveBytes += O.LiveBytes;
    for (const Part &Of : O.Parts)
      add(Of);
    return *this;
  }

private:
  void add(const Part &More) {
    for (Part &Of : Parts)
      if (Of.Type == More.Type) {
        Of.Objects += More.Objects;
        Of.Bytes += More.Bytes;
        return;
      }
    Parts.push_back(More);
  }
};

} // namespace kst
