// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often a line of an instance is lost to another CPU: sharing, true and
// false, as a function of what is on the line.
//
// Derivation. For one instance, CPUs fall into two groups: its owner's, and n
// others that visit it equally often. A set of weight w counts as w *
// remoteShare(relation) visits by the others and the rest by the owner. Of w
// only the share counts that may meet another CPU
// (CoAccessSet::Shared): none before the instance is published or while it is
// taken apart, and of configuration what was measured.
//
// A visit uses a line if it touches one of its fields, and dirties it if it
// writes one: with independent probabilities p and pw = min(p, expected writes)
//     V = sum_s w_s (1 - prod (1 - p_s)),   W = sum_s w_s (1 - prod (1 - pw_s))
// over the fields of the line, for owner (V_o, W_o) and others (V_r, W_r).
//
// CPUs take turns: another CPU comes for a stay of many visits (a wake-up takes
// the lock, looks at the state, updates clocks), then the owner is back. There
// are H stays by others, and as many of the owner between them. With visits
// that fall into stays by chance (Poisson), a stay uses the line with
// probability a = 1 - exp(-V/H) and writes it with b = 1 - exp(-W/H). A stay
// misses, once, if it uses the line and another CPU dirtied it since this CPU's
// last stay that did. As many of its stays as the geometric distribution says
// passed in between:
//     m(W, V) = H a b / (a + b - a b)
// of V visits by one CPU among W writes by others; W V / (W + V) if every visit
// is a stay of its own (H large), H at most. The owner loses the line to the
// writes of the others; each of these, with V_r / n visits in H / n stays, to
// the owner's writes and to those of its n - 1 peers:
//     lost = m(W_r, V_o) + m(n W_o + (n - 1) W_r, V_r).
//
// A lock that CPUs wait for. qspinlock lets waiters spin on nodes of their own,
// but each that arrives writes the lock's word. Of w acquisitions with A
// arrivals each while the lock is held, whose holders access fields of the
// lock's line V times, such an access misses if an arrival came since the last
// one: w A V / (A + V), which is m(w A, w V) with H infinite. With the lock on
// another line that is none. lost has this sum over all locks of the line.

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <limits>
#include <map>
#include <span>
#include <vector>

namespace kst {

/// How CPUs take turns at an instance.
struct Turns {
  /// n, >= 1: other CPUs that visit the same instance. A judgement.
  double OtherCpus = 2;
  /// H: stays of the others, in the unit of set weights. Infinite: every visit
  /// is one.
  double Stays = std::numeric_limits<double>::infinity();
};

struct SharingOptions : Turns {
  /// Share of the visits of unknown relation that is taken to be remote. In
  /// recordings of four per-CPU structs of 6.12 on two CPUs, remote accesses
  /// made up 5, 8, 17 and 18 % of all, those known to be remote included.
  double UnknownRemoteShare = 0.1;
  /// The same of visits to data of a CPU that the code names by a number
  /// (bench/relations.py).
  double ChosenRemoteShare = 0.5;
  /// Accesses of a stay by another CPU, to all fields; 0: Stays is given. In a
  /// trace of 21 structs of 6.12 on two CPUs the median was 14, half of them
  /// had 9 to 22 (kstatic-affinity trace dump --users).
  double AccessesPerStay = 16;
  /// Whether CoAccessSet::Others counts.
  bool OthersSeen = true;
  /// Of the machine, at least 2: how far away the other CPUs are.
  double Cpus = 2;
  /// By field that is a lock: other CPUs that arrive while it is held.
  std::map<uint32_t, double> Arrivals;
};

/// An iteration of a loop over CPUs. A remote window of a trace is a visit to
/// what was handed over.
bool isLoopOverCpus(const CoAccessSet &Set);

/// Stays of the others that these sets make. An iteration of a loop over CPUs
/// is one: the next goes to another instance.
double staysOf(std::span<const CoAccessSet> Sets,
               const SharingOptions &Options);

/// Visits of some kind by the two groups of CPUs, in the unit of set weights,
/// and, of contended locks, accesses by whoever holds one and CPUs that arrive
/// while it is held.
struct GroupVisits {
  double Owner = 0, Others = 0, Holder = 0, Waiters = 0;
  bool operator==(const GroupVisits &) const = default;
  GroupVisits &operator+=(const GroupVisits &More) {
    Owner += More.Owner;
    Others += More.Others;
    Holder += More.Holder;
    Waiters += More.Waiters;
    return *this;
  }
};
inline GroupVisits operator*(const GroupVisits &A, double By) {
  return {A.Owner * By, A.Others * By, A.Holder * By, A.Waiters * By};
}
inline double operator*(const GroupVisits &A, const GroupVisits &B) {
  return A.Owner * B.Owner + A.Others * B.Others + A.Holder * B.Holder +
         A.Waiters * B.Waiters;
}
/// Of each kind the fewer.
GroupVisits fewer(const GroupVisits &A, const GroupVisits &B);

/// Share of visits of this relation that are by other CPUs, 0..1.
double remoteShare(CpuRelation Of, const SharingOptions &Options);

/// Of the set's visits those that may meet another CPU at the instance.
GroupVisits meetingVisits(const CoAccessSet &Set,
                          const SharingOptions &Options);

/// Probability that a visit writes the field, 0..1.
double writeChance(const FieldTouch &Touch);

/// What visits do to one line of an instance.
struct LineUse {
  GroupVisits Uses, Writes;

  /// Visits that use the line with probability Use and write it with Write.
  void add(const GroupVisits &Of, double Use, double Write) {
    Uses += Of * Use;
    Writes += Of * Write;
  }
  /// As if those visits had not been, up to rounding.
  void remove(const GroupVisits &Of, double Use, double Write) {
    add(Of, -Use, -Write);
  }
  LineUse &operator+=(const LineUse &More) {
    Uses += More.Uses;
    Writes += More.Writes;
    return *this;
  }
  LineUse operator-() const { return {Uses * -1, Writes * -1}; }
  bool operator==(const LineUse &) const = default;
};
inline LineUse operator+(LineUse A, const LineUse &B) { return A += B; }
inline LineUse operator-(LineUse A, const LineUse &B) { return A += -B; }

/// Visits that find the line lost, the formula above. >= 0, and never less if
/// the line is used or written more. Rounding dust below zero counts as zero.
double lostVisits(const LineUse &Line, const Turns &How);

/// A linear lower bound on what more use of a line costs: with the slopes k,
///     lost(From + u) >= lost(From) + k u   for every u from 0 to Most.
/// m is concave in each argument, so along either it lies above its chord, and
/// the more it is written the more each use costs, so both chords add up.
LineUse lostSlopes(const LineUse &From, const LineUse &Most, const Turns &How);
inline LineUse operator*(const LineUse &A, double By) {
  return {A.Uses * By, A.Writes * By};
}
inline double operator*(const LineUse &A, const LineUse &B) {
  return A.Uses * B.Uses + A.Writes * B.Writes;
}

/// What contention for locks adds, by field: to a lock the CPUs that arrive
/// while it is held, to every field what the holders do to it.
std::vector<LineUse> contention(uint32_t FieldCount,
                                std::span<const CoAccessSet> Sets,
                                const SharingOptions &Options);

} // namespace kst
