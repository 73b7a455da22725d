// SPDX-License-Identifier: GPL-2.0-or-later
//
// One policy that keeps pages in two tiers, the fast one of a fixed number of
// pages.

#pragma once

#include "hybrid/contexts/TierPages.h"

#include <cstddef>
#include <deque>
#include <utility>

namespace kst {

enum class TierPolicy : uint8_t {
  AllFast,  ///< the fast tier has room for all
  AllSlow,  ///< there is none
  Naive,    ///< a new page is fast while there is room; nothing ever moves
  Scan,     ///< every so many accesses: what was used since goes up, the rest
            ///< makes room
  Lru,      ///< each access to a slow page brings it up, the one that was used
            ///< longest ago goes down
  Pressure, ///< where a page needs room, all of the context that is closed
            ///< longest goes down; what is opened again comes up
  Eager,    ///< what closes goes down at once; what is opened again comes up
};
inline constexpr size_t TierPolicies = 7;
const char *spelling(TierPolicy Policy);

struct TierCounts {
  uint64_t Fast = 0, Slow = 0; ///< accesses
  uint64_t Up = 0, Down = 0;   ///< migrations
  uint64_t accesses() const { return Fast + Slow; }
  double fastShare() const {
    return accesses() ? double(Fast) / double(accesses()) : 0;
  }
  /// In accesses to the fast tier: an access to the slow one costs `Ratio`, a
  /// migration `Copy`.
  double cost(double Ratio, double Copy) const {
    return double(Fast) + Ratio * double(Slow) + Copy * double(Up + Down);
  }
};

/// Told what happens by whoever tells the pages: begin and own after them, end
/// before them, open and close after them. A page that ends never migrates.
class TierRun {
public:
  /// `Pages` outlive this. ScanEvery: accesses, from 1.
  TierRun(TierPolicy Policy, uint64_t FastPages, uint64_t ScanEvery,
          const TierPages &Pages)
      : Policy(Policy), Room(FastPages), ScanEvery(ScanEvery), Pages(Pages) {}

  void begin(TierPage Page);
  void end(TierPage Page);
  void access(TierPage Page);
  void open(uint32_t Context);
  void close(uint32_t Context);

  TierPolicy policy() const { return Policy; }
  uint64_t fastPages() const { return Room; }
  uint64_t used() const { return Used; } ///< pages in the fast tier
  const TierCounts &counts() const { return Counts; }

private:
  struct State {
    bool Fast = false, Touched = false;
    TierPage Before = NoPage, Next = NoPage; ///< of fast ones, by last use
  };
  bool byContext() const {
    return Policy == TierPolicy::Pressure || Policy == TierPolicy::Eager;
  }
  void enter(TierPage Page); ///< the fast tier
  void leave(TierPage Page);
  void up(TierPage Page);
  void down(TierPage Page);
  /// Makes room for one page of a context; false: there is none.
  bool makeRoom(uint32_t For);
  /// Its pages go down after those of all that are closed now.
  void queue(uint32_t Context);
  uint64_t &turnOf(uint32_t Context);
  void scan();
  void link(TierPage Page);
  void unlink(TierPage Page);

  const TierPolicy Policy;
  const uint64_t Room, ScanEvery;
  const TierPages &Pages;
  std::vector<State> States;
  TierPage Newest = NoPage, Oldest = NoPage; ///< of the fast ones
  uint64_t Used = 0, SinceScan = 0;
  std::vector<TierPage> TouchedSlow; ///< since the last scan
  /// Contexts in the order of their last closes, each with the number of its
  /// turn: it counts if Turn has the same.
  std::deque<std::pair<uint32_t, uint64_t>> ClosedFirst;
  std::vector<uint64_t> Turn; ///< by context; 0: none
  uint64_t Turns = 0;
  TierCounts Counts;
};

} // namespace kst
