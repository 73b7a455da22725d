// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why fields share a line, and why they should not: the groups that the lines
// of a layout form, with the sets that ask for them, and the pairs that one
// CPU writes while another uses the neighbour.

#pragma once

#include "hybrid/fieldorder/LayoutView.h"

#include <vector>

namespace kst {

/// A set that wants the fields of a line together.
struct GroupReason {
  uint32_t Set = 0; ///< index into AffinityEvidence::Sets
  /// Weight * (sum of p_f - (1 - product of (1 - p_f))) over the fields f of
  /// the line: line touches that the fields save each other by sharing it.
  double Saved = 0;
  std::vector<uint32_t> Fields; ///< of the line, touched by the set; likeliest
                                ///< first
  /// The set's place, and what one visit does to these fields.
  AccessSite By;
};

/// The touched fields of one cache line.
struct GroupView {
  uint32_t Line = 0;
  double Share = 0;                 ///< of all accesses
  std::vector<uint32_t> Fields;     ///< touched ones, hottest first
  double Saved = 0;                 ///< sum over all sets
  std::vector<GroupReason> Reasons; ///< strongest first
};

/// Lines with at least one touched field, hottest first.
std::vector<GroupView> groupsOf(const Report &R, const LayoutView &View);

/// At most `Count` of the group's reasons, for a first screen: steady visits
/// only, each place once, none that stands for less than 2 % of what is saved.
std::vector<const GroupReason *>
leadingReasons(const Report &R, const GroupView &Group, size_t Count);

/// A place that uses a field, and how much; accesses in the unit of set
/// weights.
struct Accessor {
  AccessSite At;
  CpuRelation Cpu = CpuRelation::Unknown;
  bool Rare = false; ///< not in the steady phase
  Site Visit;        ///< whose visit it is, mostly
  double Most = 0;   ///< accesses of that visit
};

/// "for push()": on whose behalf a header's function accesses; else "".
std::string forWhom(const Accessor &Who);

/// Two fields on one line of the current layout where one is written while
/// another CPU uses the other.
struct SharingRisk {
  uint32_t Line = 0;
  uint32_t Written = 0, Used = 0; ///< fields
  double Loss = 0;
  double Measured = 0; ///< share of the accesses of both that was counted
  bool StillTogether = false; ///< also on one line of the proposed layout
  /// Places that write Written, by their writes, most first.
  std::vector<Accessor> Writers;
  /// Places that read or write Used, by both, most first; those on another CPU
  /// than the first writer before others.
  std::vector<Accessor> Users;
};

/// Writers and users are worked out for this many risks, the worst ones.
inline constexpr size_t ExplainedRisks = 40;

/// Sorted by loss, largest first; ties by field number.
std::vector<SharingRisk> sharingRisks(const Report &R,
                                      const LayoutView &Current,
                                      const LayoutView &Proposed);

} // namespace kst
