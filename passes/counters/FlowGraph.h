// SPDX-License-Identifier: GPL-2.0-or-later
//
// Few counters for exact counts. A function's flow is a circulation once its
// entry and its exits are one node: what enters a node leaves it. Edges that
// need a count ("marked") get a counter unless the others determine them: take
// all edges without marks out of the question by joining their ends, then grow
// a spanning forest over the marked edges, hottest first (Knuth and Stevenson,
// "Optimal measurement points for program frequency counts", BIT 13, 1973;
// maximal spanning tree after Ball and Larus, TOPLAS 16(4), 1994). Edges of
// the forest have no counter: removing one parts the forest in two, and what
// flows over it is what the counters see flowing back across the cut.
//
// A counter on an edge without a mark can save others: that on the exit of a
// loop saves one in the loop. Such an edge is then left in the question, with
// a counter or in the forest. Which of them are is a search from both ends,
// none and all, that takes one edge at a time in or out as long as that makes
// the counters' frequencies together smaller.
//
// Pure: knows nothing of LLVM.

#pragma once

#include <cstdint>
#include <vector>

namespace kst::counters {

class FlowGraph {
public:
  /// The node outside of the function: before its entry and after its exits.
  static constexpr uint32_t Outside = 0;

  FlowGraph() : Parent(1, Outside) {}

  uint32_t addNode();
  /// An edge whose count nobody asks for.
  void join(uint32_t A, uint32_t B);
  /// An edge to be counted; its number is the order of the calls, of this and
  /// the next.
  uint32_t addMarked(uint32_t From, uint32_t To, uint64_t Frequency);
  /// An edge whose count nobody asks for, and that can have a counter.
  uint32_t addOptional(uint32_t From, uint32_t To, uint64_t Frequency);

  struct Term {
    uint32_t Edge;  ///< that has a counter
    int32_t Factor; ///< 1 or -1
    bool operator==(const Term &) const = default;
  };
  /// For each edge the sum that is its count. An edge with a counter has the
  /// one term {itself, 1}. Terms in ascending order of edges. Empty for a
  /// marked edge that no circulation can use, and for an optional one without
  /// a counter. Edges of equal frequency: a marked one and then the one added
  /// last gets the counter. Time: O(edges * forest depth), and a bounded
  /// search.
  std::vector<std::vector<Term>> solve();

private:
  struct Edge {
    uint32_t From, To;
    uint64_t Frequency;
    bool Marked;
  };
  struct Choice;
  std::vector<uint32_t> Parent; ///< union-find
  std::vector<Edge> Edges;

  Choice choose(std::vector<bool> Open, const std::vector<uint32_t> &Order);
  Choice search();
};

} // namespace kst::counters
