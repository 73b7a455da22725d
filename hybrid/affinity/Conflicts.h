// SPDX-License-Identifier: GPL-2.0-or-later
//
// What two fields lose by being on one line, as a number per pair: a projection
// of Sharing.h for people to look at and for clustering; the optimiser prices
// lines, not pairs.
//
//     conflict(f, h) = max(0, lost({f, h}) - lost({f}) - lost({h}))
//
// with lost(S) the visits that find a line with the fields S lost. Fields that
// the same visits use are lost together and have no conflict.

#pragma once

#include "hybrid/affinity/Sharing.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// Conflict of every pair of fields. Symmetric, >= 0, zero on the diagonal,
/// in the unit of set weights. Pure; safe to share between threads.
class Conflicts {
public:
  struct Neighbour {
    uint32_t Field = 0;
    double Weight = 0; ///< > 0
  };

  /// Touches of fields >= FieldCount are ignored.
  Conflicts(uint32_t FieldCount, std::span<const CoAccessSet> Sets,
            const SharingOptions &Options = {});

  double between(uint32_t F, uint32_t H) const { return Pairs[F * Count + H]; }
  /// The fields that F is in conflict with, by index.
  const std::vector<Neighbour> &of(uint32_t F) const { return Lists[F]; }

  /// Of several cases for the same fields, not none: the mean of each pair.
  friend Conflicts mean(std::span<const Conflicts> Cases);

private:
  void list();

  size_t Count = 0;
  std::vector<double> Pairs; ///< Count * Count
  std::vector<std::vector<Neighbour>> Lists;
};

Conflicts mean(std::span<const Conflicts> Cases);

} // namespace kst
