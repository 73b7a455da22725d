// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the threads of a program ran, from their first access to their last one:
// which of them could have taken a line from one another.

#ifndef KST_HYBRID_TRACE_THREADSPANS_H
#define KST_HYBRID_TRACE_THREADSPANS_H

#include <cstddef>
#include <cstdint>
#include <map>

namespace kst {

class ThreadSpans {
public:
  /// An access, or a stretch of them; in any order.
  void add(uint32_t Thread, uint64_t First, uint64_t Last);

  size_t threads() const { return Of.size(); }
  /// Of the time with accesses, the share in which more than one thread had
  /// them, 0..1; 0 without time.
  double overlap() const;
  /// For each thread one of `Most` CPUs, numbered as they come: a free one, in
  /// turns, as a scheduler would have it. More than Most at a time get numbers
  /// of their own behind those.
  std::map<uint32_t, uint32_t> onCpus(uint32_t Most) const;

private:
  struct Span {
    uint64_t First, Last;
  };
  std::map<uint32_t, Span> Of;
};

} // namespace kst

#endif
