// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often a write of one field would take the line away from another CPU
// that wants a different field of it: false sharing, as a number per pair of
// fields, from co-access sets alone.
//
// Derivation. For one instance, CPUs fall into two groups: its own CPU (Local)
// and the others (Remote). A set of weight w whose relation is unknown counts
// as w * UnknownRemoteShare remote visits and the rest local ones. Of w only
// the share counts that may meet another CPU (CoAccessSet::Shared): none before
// the instance is published or while it is taken apart, and of configuration
// what was measured. Per group r
//     W_r(f|h) = sum_s w_s * pw_s(f) * (1 - pw_s(h))   visits writing f, not h
//     V_r(h|f) = sum_s w_s * p_s(h) * (1 - p_s(f)) / m_s(f)  using h, not f
//     m_s(f)   = clamp(sum of p_s over fields other than f, 1, FieldsPerLine)
// with p the probability that the visit touches the field and pw = min(p,
// expected writes) that it writes it: a visit dirties a line once however often
// it writes. Visits that use both fields share them truly, whatever the layout,
// and are left out. A visit that uses m fields of the line misses it once, not
// m times: the cost formula adds up pairs, so each pair carries its share, as
// if the visit's fields lay together, up to as many as a line holds. A visit
// misses because of f if f was written since the visit before it; with W writes
// and V visits in random order (two Poisson processes) that is the share
// W / (W + V) of the visits, m(W, V) = W * V / (W + V) of them. What writes of
// h itself take away is lost in any layout, so f adds
//     a(W, H, V) = m(H + W, V) - m(H, V)      H: visits writing h
// only: a read-mostly field suffers from a written neighbour, two fields that
// are both written all the time hardly do. With rho = RemotePairShare, the
// chance that two remote visits ran on different CPUs:
//     miss(f -> h) = a(W_L + rho W_R, H_L + rho H_R, V_R) + a(W_R, H_R, V_L)
// (remote visitors lose the line to the owner or to another remote CPU; local
// visitors to remote writers only). Finally
//     conflict(f, h) = miss(f -> h) + miss(h -> f).

#pragma once

#include "hybrid/core/CoAccessSet.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

struct ConflictOptions {
  /// Share of the visits of unknown relation that is taken to be remote. In
  /// recordings of four per-CPU structs of 6.12 on two CPUs, remote accesses
  /// made up 5, 8, 17 and 18 % of all, those known to be remote included.
  double UnknownRemoteShare = 0.1;
  /// Chance that two remote visits ran on different CPUs.
  double RemotePairShare = 0.5;
  /// Fields of one visit that a line holds at most: 64 bytes of words.
  double FieldsPerLine = 8;
};

/// Conflict of every pair of fields. Symmetric, >= 0, zero on the diagonal,
/// in the unit of set weights. Pure; safe to share between threads.
class Conflicts {
public:
  struct Neighbour {
    uint32_t Field = 0;
    double Weight = 0; ///< > 0
  };

  /// No conflict between any of `FieldCount` fields.
  explicit Conflicts(uint32_t FieldCount);
  /// Touches of fields >= FieldCount are ignored.
  Conflicts(uint32_t FieldCount, std::span<const CoAccessSet> Sets,
            const ConflictOptions &Options = {});

  double between(uint32_t F, uint32_t H) const { return Pairs[F * Count + H]; }
  /// The fields that F is in conflict with, by index.
  const std::vector<Neighbour> &of(uint32_t F) const { return Lists[F]; }
  uint32_t fieldCount() const { return Count; }

private:
  size_t Count = 0;
  std::vector<double> Pairs; ///< Count * Count
  std::vector<std::vector<Neighbour>> Lists;
};

} // namespace kst
