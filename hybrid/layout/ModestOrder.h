// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order to propose to people who have to read the patch: the smallest one
// that is nearly as good as the best one found.

#pragma once

#include "hybrid/layout/Frontier.h"
#include "hybrid/layout/LayoutProblem.h"
#include "hybrid/layout/Stability.h"

#include <span>

namespace kst {

/// "Nearly as good as the best": costs at most this share more than it.
inline constexpr double NearlyBest = 0.01;
/// A move that saves less than this share of the present cost is not worth
/// reading: 1 % for ten moves. A judgement.
inline constexpr double MoveWorth = 0.001;
/// A move must help in at least this share of the draws of the weights, and of
/// the assumptions.
inline constexpr double MoveSurvives = 0.5;

/// An order and how it holds under other weights.
struct StableOrder {
  MoveUnitOrder Order;
  Stability Weights;
};

/// From the points of a frontier, of which the last is the best order allowed:
///
///  1. the first that costs at most NearlyBest more than the last, or no more
///     than the point where cost and MoveWorth for each move are least, and
///     gains LayoutOptions::KeepBelow if the last does; the last if `MaxMoves`
///     of the options says how many moves are wanted;
///  2. MoveMinimizer within the same limit, from there and from the last;
///     HotClusters::closed();
///  3. moves that help in fewer than MoveSurvives of the draws, or of the
///     assumptions, are taken back, also when that goes beyond the limit, until
///     none is left: all of them if what is left stays within the limit, else
///     the weakest first. A move without which a demand is not met (the record
///     would grow, a --pin) is not taken back.
///
/// The result is legal and breaks no more demands than the last point.
/// Deterministic; a small share of LayoutOptions::Budget pays for the second
/// step.
StableOrder modestOrder(const LayoutProblem &Problem,
                        std::span<const FrontierOrder> Points,
                        const StabilityOptions &Draws);

} // namespace kst
