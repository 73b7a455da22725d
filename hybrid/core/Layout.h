// SPDX-License-Identifier: GPL-2.0-or-later
//
// An order of the top-level fields of a record, the offsets the target ABI
// gives it, and what it costs.

#pragma once

#include "hybrid/core/CoAccessSet.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/SourceRule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kst {

/// The parts of the cost formula (docs/design/price.md), cycles of all visits.
struct Cost {
  double Lines = 0;   ///< for lines that visits touch, as if nobody took them
  double Sharing = 0; ///< for lines that another CPU has taken
  double Padding = 0; ///< price of lines beyond the minimum
  double total() const { return Lines + Sharing + Padding; }
  /// No cycles: lines that visits touch, and those of them that are lost.
  double Touched = 0, Lost = 0;
};

struct Layout {
  /// Order[i] is the index in RecordInfo::Fields of the i-th field in memory.
  std::vector<uint32_t> Order;
  /// OffsetBits[f] is the offset of RecordInfo::Fields[f].
  std::vector<uint64_t> OffsetBits;
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1;
};

struct ScoredLayout {
  Layout Plan;
  Cost Price;
  double LowerBound = 0; ///< no legal layout costs less
  /// (total - bound) / bound; 0 when both are 0.
  double Gap = 0;
};

enum class Verdict { Reorder, Keep, InsufficientEvidence };

/// A point of the frontier "cost against number of moved fields".
struct FrontierPoint {
  uint32_t Moves = 0;
  double TotalCost = 0;
  std::vector<std::string> Moved; ///< field names
};

/// Why a field stays where it is, in words, and which.
struct ConstraintNote {
  std::string Field; ///< "" when it is about the whole record
  std::string Why;
  Site Where;           ///< the code that demands it; may be empty
  bool Liftable = true; ///< false: no order of this language could break it
  /// What the best order found without this rule alone saves, in cost; 0 when
  /// it blocks nothing worth telling.
  double Blocks = 0;
  std::string Id = {}; ///< SourceRule::Id; notes of one rule share it
  RuleStrength Strength = RuleStrength::Hard;
  std::string Unliftable = {}; ///< why --lift-rule cannot lift it, or empty
  bool Lifted = false;         ///< by the user: the order need not obey it
};

/// Another order beside current and proposed: a baseline's, or one that the
/// engineer has in mind.
struct OrderScore {
  std::string Name; ///< of the baseline, or the question as it was put
  /// What searches minimise: over all configurations, for one the cost.
  double Objective = 0;
  Cost Price;  ///< first configuration
  Layout Plan; ///< first configuration
  uint32_t Moves = 0;
  std::vector<std::string> Notes; ///< rules it breaks, in words
};

/// One configuration and line size, and what the two orders mean for it.
struct ConfigScore {
  std::string Name; ///< as the user knows the configuration
  std::string Triple;
  size_t Config = 0; ///< its number
  uint32_t LineBytes = 64;
  bool Optimised = true; ///< false: only scored, not part of the objective
  bool Shared = false;   ///< as if all CPUs shared each object
  RecordInfo Record;     ///< fields numbered as everywhere; some may be Absent
  Layout Current, Proposed;
  Cost Now, New;
  double Visits = 0; ///< weight of its sets: Now and New divided by it are per
                     ///< visit
};

/// Objects that begin on a line, and there fields on a line of their own behind
/// all others.
struct Remedy {
  std::vector<uint32_t> Fields; ///< the first is aligned; none: only the object
  double Saves = 0;             ///< of the objective; less than 0: it costs
  uint64_t Bytes = 0; ///< that an object of the first configuration grows by
  bool Lock = false;
  /// Of a lock: what it saves if CPUs arrive (ContendedArrivals) while it is
  /// held.
  double IfContended = 0;
};

/// How the advice holds when the weights of the sets are not what we think, and
/// where what prices rest on is otherwise.
struct Stability {
  uint32_t Draws = 0;  ///< 0: not looked at
  double Factor = 1;   ///< each weight times something from [1/Factor, Factor]
  double Survives = 0; ///< share of draws in which the proposal costs less
  double GainLow = 0, GainHigh = 0; ///< 5 % and 95 % of the gain, share of cost
  struct Move {
    std::string Field;
    double Survives = 0; ///< share of draws in which taking it back costs
    double Assumed = 1;  ///< the same of Stability::Assumed
  };
  std::vector<Move> Moves; ///< in the order of the point's Moved
  struct Case {
    std::string Name; ///< "with 2 CPUs"
    double Gain = 0;  ///< of the cost in that case; less than 0: it costs more
  };
  std::vector<Case> Assumed; ///< one thing otherwise in each; may be empty
};

struct Advice {
  ScoredLayout Current;
  ScoredLayout Proposed; ///< equals Current unless What == Reorder
  std::vector<FrontierPoint> Frontier;
  Verdict What = Verdict::InsufficientEvidence;
  std::vector<std::string> Reasons; ///< sentences for the report
  std::vector<ConstraintNote> Constraints;
  double BlockedTotal = 0; ///< what all liftable constraints together block
  /// Objective of current and proposed (see OrderScore), its bound and whether
  /// the proposal is proven to be the best.
  double ObjectiveNow = 0, ObjectiveNew = 0, ObjectiveBound = 0;
  bool Proven = false; ///< never when nothing may move
  bool Fixed = false;  ///< no touched field may move
  /// The best order found (within the moves allowed), with its name for the
  /// reader; none if the proposal costs the same, or none is made.
  std::optional<OrderScore> Best;
  /// What the best order found leaves unmet of --pin, in words; nothing is
  /// proposed then.
  std::vector<std::string> Unmet;
  std::vector<OrderScore> Compared; ///< baselines
  std::vector<OrderScore> Asked;    ///< --what-if, --order
  std::vector<ConfigScore> Configs; ///< optimised ones first
  std::vector<Remedy> Remedies;     ///< beside the proposed order
  Stability Weights;
};

} // namespace kst
