// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds lines that are cheaper than the prices of their items (what column
// generation adds next), and proves how much cheaper any line can be (what a
// valid lower bound rests on).
//
// value(S) = sum of prices - c(S) - charge. A line may also hold one item in
// part, which brings its price times the share of its bits that are free. Lines
// with pieces of two items need not be considered: moving bits from one to the
// other changes the value linearly, so one direction does not lower it, until
// one of the two is whole or away. For the same reason an item that would fit
// whole is not considered in part.

#pragma once

#include "hybrid/layout/bound/LineMaster.h"
#include "hybrid/layout/bound/LineProblem.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kst {

/// Keeps a reference to the problem; not safe to share between threads.
class LinePricing {
public:
  explicit LinePricing(const LineProblem &Problem);

  void setPrices(const std::vector<double> &ItemPrices, double LineCharge) {
    Prices = ItemPrices;
    Charge = LineCharge;
  }

  /// A line around item Root by greedy choice; true if its value is above
  /// Least. Says nothing about other lines.
  bool greedy(uint32_t Root, double Least, LineColumn &Found);

  struct Answer {
    double Most = 0;       ///< no line around the root has a higher value
    bool Complete = false; ///< Most <= the threshold asked for
    double BestValue = 0;  ///< value of Best, if it has items
    LineColumn Best;
  };
  /// Lines whose whole items all come from `Root` and `Allowed`, Root among
  /// them. Branch and bound that does not look below values of Threshold and
  /// gives up (with a valid Most) after `Budget` steps.
  Answer search(uint32_t Root, const std::vector<char> &Allowed,
                double Threshold, uint64_t Budget);

  uint64_t work() const { return Work; }

private:
  struct Entry {
    uint32_t Set;
    double P, W;
    /// Chances of a touch and of a write that the item adds for certain.
    double Share, WriteShare;
  };
  struct Candidate {
    uint32_t Item;
    bool SplitOnly;
    uint32_t Begin, End;
  };
  struct Node {
    double Value = 0;   ///< of the chosen items, charge included
    LineUse Use;        ///< by the chosen items
    uint32_t Room = 0;  ///< free bits
    uint32_t Grain = 1; ///< free bits will be a multiple of this
    bool Large = false, StartsLine = false;
    std::vector<Candidate> Candidates;
    std::vector<Entry> Entries;
    /// Per set: chance that the chosen items are not touched, with the weight
    /// and without; chance that they are not written.
    std::vector<double> Weight, Untouched, Unwritten;
    /// slopes(), until candidates change.
    std::optional<LineUse> Slopes;
    double Most = 0; ///< upper bound on values below
  };

  void root(uint32_t Root, const std::vector<char> &Allowed, Node &Top);
  bool matters(const Node &At, uint32_t Set, double W) const;
  LineUse brings(const Node &At, const Candidate &Of, bool Certain) const;
  LineUse slopes(const Node &At) const;
  double lostBy(const Node &At, const Candidate &Of) const;
  void grain(Node &At) const;
  double estimate(Node &At);
  void tighten(Node &At, int Rounds, double Goal, int Settled);
  void thin(Node &At, double Goal);
  double partly(const Node &At, uint32_t C, double PerBit) const;
  void include(const Node &At, uint32_t C, Node &Child);
  void exclude(Node &At, uint32_t C);
  bool settled(Node &At, bool Top);
  double explore(size_t Depth);
  void offer(double Value);
  void finish(const Node &At);

  const LineProblem &Problem;
  std::vector<double> Prices;
  double Charge = 0;
  uint64_t Work = 0, Stop = 0;
  double Threshold = 0;
  Answer Result;
  std::vector<uint32_t> Chosen;
  std::deque<Node> Nodes; ///< one per depth
  // Scratch.
  std::vector<double> Bounds, Missing, Unwritten, Marginal;
  std::vector<LineUse> Brings;
  std::vector<uint32_t> Ranked, Locals;
  /// Of the sets of the search, by local number.
  std::vector<uint32_t> SetIds;
  std::vector<GroupVisits> Meetings;
};

} // namespace kst
