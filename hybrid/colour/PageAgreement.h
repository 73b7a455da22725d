// SPDX-License-Identifier: GPL-2.0-or-later
//
// How well the model of the stock allocator foretells the pages that a kernel
// took.

#pragma once

#include "hybrid/colour/PageStart.h"

namespace kst {

/// Where the kernel's page was in the model, when the model gave another one.
enum class PageWas : uint8_t {
  Equal,     ///< it is the same page
  OwnList,   ///< on the CPU's list, not in front
  OtherList, ///< on the list of another CPU, order or type
  FreeList,  ///< on the free lists
  Used,      ///< in use: its free was not seen
  Outside,   ///< in no zone
};
inline constexpr unsigned PageWases = 6;
const char *spelling(PageWas Of);

struct PageAgreement {
  struct Row {
    uint64_t Allocations = 0;
    std::array<uint64_t, PageWases> Was{};
  };
  std::array<Row, PageOrders> Orders;     ///< by order of the request
  uint64_t Frees = 0, FreesOfUnknown = 0; ///< allocated without an event
  /// Frees by the order in which the block was allocated, or a part of it.
  uint64_t FreesOfOrder = 0, FreesOfPart = 0;
  /// Blocks that went from CPUs' lists to free lists.
  uint64_t Drains = 0;         ///< recorded
  uint64_t DrainsForetold = 0; ///< the model had done so already
  uint64_t DrainsFollowed = 0; ///< for reasons that no request tells
  uint64_t DrainsModel = 0;    ///< of the model

  uint64_t allocations() const;
  uint64_t equal() const;
};

/// Each request is foretold with what the kernel did before: where the model
/// gives another page, it takes the kernel's. Reads the trace to its end.
Result<PageAgreement> pageAgreement(const PageStart &Start, TraceReader &Trace);

/// The zone's new limits, if the event tells some.
void applyLimits(const TraceEvent &E, std::vector<ZoneLimits> &Limits,
                 PageAllocator &To);

} // namespace kst
