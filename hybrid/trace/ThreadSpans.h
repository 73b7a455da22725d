// SPDX-License-Identifier: GPL-2.0-or-later
//
// When the threads of a program ran, from their first access to their last one:
// which of them could have taken a line from one another.

#ifndef KST_HYBRID_TRACE_THREADSPANS_H
#define KST_HYBRID_TRACE_THREADSPANS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

/// Which threads could run at the same time, whatever a scheduler did: those
/// between whose starts none was waited for.
class StartsAndJoins {
public:
  void add(uint64_t Time, bool Start) { All.insert({Time, Start}); }
  bool any() const { return !All.empty(); }
  /// The times of starts with a join before them and no start between, in
  /// decimal with blanks between; the first so many.
  std::string text() const;
  /// As text() has them.
  static std::vector<uint64_t> times(const std::string &Text);

private:
  std::set<std::pair<uint64_t, bool>> All;
};

} // namespace kst

#endif
