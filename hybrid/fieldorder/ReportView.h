// SPDX-License-Identifier: GPL-2.0-or-later
//
// What all parts of a described report work out of it first.

#pragma once

#include "hybrid/fieldorder/LayoutView.h"

#include <vector>

namespace kst {

/// Keeps a reference to the report.
struct ReportView {
  explicit ReportView(const Report &R);

  /// A cost per visit of the first configuration.
  double perVisit(double Cost) const { return Cost / Unit; }
  /// Fields that the proposal moves, in any configuration.
  uint32_t moves() const;
  /// The proposed layout if there is one, else the current one.
  const LayoutView &best() const { return Reorders ? Proposed : Current; }
  const char *bestWord() const { return Reorders ? "proposed" : "current"; }

  const Report &R;
  const AffinityEvidence &E;
  std::vector<double> Heat; ///< hotness()
  double Weight;            ///< totalWeight()
  double Unit;              ///< Weight, or 1 without evidence
  LayoutView Current, Proposed;
  bool Reorders; ///< another layout is proposed
  /// The point of the frontier that is proposed; null when nothing is, or when
  /// the frontier does not have it.
  const FrontierPoint *Chosen;
  /// Per field: whether it moves in the proposal. The fields that Chosen names,
  /// if taking those elsewhere gives the proposed order; else movedFields().
  std::vector<bool> Moved;
  size_t Seen = 0;      ///< fields with an access
  size_t Optimised = 0; ///< configurations that the search looked at together
  /// The first of them as if all CPUs shared each object; null if it is known
  /// who does.
  const ConfigScore *Shared = nullptr;
};

/// What people call it, with the case that it is.
std::string nameOf(const ConfigScore &Of);

} // namespace kst
