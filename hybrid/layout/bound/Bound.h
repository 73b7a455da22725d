// SPDX-License-Identifier: GPL-2.0-or-later
//
// A price that no order can beat, so that a report can say how far from the
// best its proposal can be at most.

#pragma once

#include "hybrid/affinity/LayoutCost.h"
#include "hybrid/layout/Constraints.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kst {

/// Lower bound on the expected lines of one set, whatever the order and the
/// start of the instance; `LineBytes` as in CostOptions.
///
/// Proof. The model's E[lines] is the mean, over the random subset T of fields
/// that a visit touches (independently, with their p), of the number of lines
/// that the extents of T reach. Extents are disjoint ranges of bits, and a line
/// holds 8 * LineBytes bits, so T of b bits reaches at least ceil(b / line)
/// lines, and at least one if it is not empty. Hence
///     E[lines] >= E_T[max([T not empty], ceil(b(T) / line))],
/// computed here from the distribution of b(T) with sizes rounded down to
/// bytes (which only lowers it). For sets too large for that,
/// max(1 - prod(1 - p), sum p * b / line) is used, which is lower still, since
/// ceil(x) >= x.
double leastLines(std::span<const uint64_t> ExtentBits,
                  std::span<const double> P, uint32_t LineBytes);

/// Lower bound on the cost of any order: sum of weight * leastLines(), and
/// what SpotLines.h adds; sharing and padding are >= 0. Extents of a union
/// overlap: at least one line each.
double lowerBound(const RecordInfo &Record, const LayoutCost &Model);

/// What is known about the best order of one record.
struct CertifiedBound {
  double Value = 0; ///< no legal order costs less
  /// Lines, as fields, that a good layout may have, and how much the relaxation
  /// uses each (0..1, largest first): where a search may start.
  std::vector<std::pair<std::vector<uint32_t>, double>> Lines;
};

/// The better of lowerBound() and the bound of the program over lines
/// (PartitionBound.h). `Rules` must hold for the record: fields that immovable
/// fields keep far apart never share a line. Effort in elementary steps; any is
/// valid.
CertifiedBound certifiedBound(const RecordInfo &Record, const LayoutCost &Model,
                              const Constraints &Rules, uint64_t Budget);

/// (Total - Bound) / Bound; 0 when both are 0.
double gap(double Total, double Bound);

} // namespace kst
