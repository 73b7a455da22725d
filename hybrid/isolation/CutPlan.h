// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where to cut a chain of objects so that a change of size displaces as little
// heat as possible. Objects are in link order; object i changes with
// probability p_i and has heat h_i; a change displaces what is behind it in its
// segment. The cost of a segment is the sum over i < j of p_i h_j, and the
// least sum with K cuts is found exactly: the cost fulfils the quadrangle
// inequality (it is a sum of nonnegative products over pairs within the
// segment), so that the best last cut moves one way, and divide and conquer
// needs O(K N log N) steps.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

struct ChainObject {
  double Churn = 0; ///< probability of a change, 0 and more
  double Heat = 0;  ///< 0 and more
};

class ChainCost {
public:
  explicit ChainCost(std::span<const ChainObject> Objects);
  /// Of one segment, objects [Begin, End).
  double segment(size_t Begin, size_t End) const {
    return Pairs[End] - Pairs[Begin] - Churn[Begin] * (Heat[End] - Heat[Begin]);
  }
  /// Of the chain, with a segment from each cut on.
  double of(const std::vector<uint32_t> &Cuts) const;
  size_t size() const { return Churn.size() - 1; }

private:
  std::vector<double> Churn, Heat, Pairs; ///< sums before each object
};

/// The first objects of segments but the first one, ascending.
using Cuts = std::vector<uint32_t>;

/// The best cuts for every number of them from 0 to `Most`: exactly. Fewer, if
/// there are not so many objects.
std::vector<Cuts> exactCuts(const ChainCost &Cost, unsigned Most);
/// One cut after another, each the best beside those before; in that order.
std::vector<uint32_t> greedyCuts(const ChainCost &Cost, unsigned Number);
/// Segments of equally many objects.
Cuts evenCuts(const ChainCost &Cost, unsigned Number);
/// By trying all; for tests. At most 20 objects.
double leastCost(const ChainCost &Cost, unsigned Number);

} // namespace kst
