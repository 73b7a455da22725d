// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pages of the kernel's ring buffer as they are (include/linux/ring_buffer.h,
// enum ring_buffer_type).

#pragma once

#include "hybrid/import/ForeignBytes.h"

namespace kst {

struct RingEvent {
  uint64_t Time = 0;
  uint64_t LostBefore = 0; ///< on this CPU; 1 if the buffer says no number
  std::string_view Bytes;
};

/// The events of one page, in their order.
class RingPage {
public:
  RingPage() = default;
  /// LongBytes: of the kernel, 4 or 8.
  RingPage(std::string_view Page, uint32_t LongBytes, bool Big);

  /// False at the end of what the page holds, and where it is damaged.
  bool next(RingEvent &Out);
  bool damaged() const { return Damaged; }

private:
  ForeignBytes In; ///< the part that is filled
  uint64_t Time = 0, Lost = 0;
  bool Big = false, Damaged = false;
};

} // namespace kst
