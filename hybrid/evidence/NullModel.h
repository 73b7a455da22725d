// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether fields meet more often than their frequencies alone explain: the
// frequency-product null model for traces.
//
// In a sequence without repeats nothing follows itself, so plain products do
// not fit. The null model is quasi-independence (Goodman, JASA 63, 1968): pairs
// {a, b}, a != b, have the expectation x_a x_b, with x such that every field
// meets others as often as it was seen to.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// Seen: Fields * Fields, symmetric; the diagonal is ignored. The expectation
/// of each pair, likewise. Rows add up to those of Seen as far as a product can
/// (a field in half of all pairs is the limit).
std::vector<double> quasiIndependent(std::span<const uint64_t> Seen,
                                     uint32_t Fields);

struct StructureOptions {
  /// Chance of taking noise for structure that is accepted.
  double Alpha = 0.01;
  /// What structure must tell about the next access, in bits, to be worth an
  /// order; a long trace finds any trifle significant.
  double MinBits = 0.02;
  uint32_t Draws = 199;
  uint64_t Seed = 1;
};

struct StructureTest {
  double Statistic = 0; ///< G = 2 sum O ln(O / E)
  /// (1 + draws that reach Statistic) / (1 + Draws), draws being tables of
  /// Poisson counts with the expectations E.
  double P = 1;
  /// (G - mean of the draws' G) / (2 ln 2 * pairs seen): mutual information of
  /// neighbours, without what chance feigns. At least 0.
  double Bits = 0;
  uint64_t Pairs = 0;      ///< seen
  bool Structured = false; ///< P <= Alpha and Bits >= MinBits
};

/// Adjacent: as Windows::adjacent(). Deterministic.
StructureTest testStructure(std::span<const uint64_t> Adjacent, uint32_t Fields,
                            const StructureOptions &Options = {});

} // namespace kst
