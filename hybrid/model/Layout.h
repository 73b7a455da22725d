// SPDX-License-Identifier: GPL-2.0-or-later
//
// An order of the top-level fields of a record, the offsets the target ABI
// gives it, and what it costs.

#ifndef KST_HYBRID_MODEL_LAYOUT_H
#define KST_HYBRID_MODEL_LAYOUT_H

#include "hybrid/model/CoAccessSet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// The parts of docs/method.md's cost formula. Same unit as set weights.
struct Cost {
  double Lines = 0;   ///< sum over sets: weight * (lambda_remote if remote)
                      ///< * expected lines touched
  double Sharing = 0; ///< lambda_share * conflicts on one line
  double Padding = 0; ///< lambda_pad * lines beyond the minimum
  double total() const { return Lines + Sharing + Padding; }
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
};

struct Advice {
  ScoredLayout Current;
  ScoredLayout Proposed; ///< equals Current unless What == Reorder
  std::vector<FrontierPoint> Frontier;
  Verdict What = Verdict::InsufficientEvidence;
  std::vector<std::string> Reasons; ///< sentences for the report
  std::vector<ConstraintNote> Constraints;
};

} // namespace kst

#endif
