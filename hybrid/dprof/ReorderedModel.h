// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same stream with the bytes of one struct in its present and in another
// order. Bytes move as in hybrid/replay, which --validate uses.

#pragma once

#include "hybrid/dprof/CountedModel.h"
#include "hybrid/dprof/LossTable.h"
#include "hybrid/dprof/ReportedOrder.h"
#include "hybrid/dprof/TypeTable.h"
#include "hybrid/replay/ByteMoves.h"

namespace kst {

class ReorderedModel {
public:
  /// Why this order cannot be replayed on such a trace, if so.
  static std::optional<Failure> misfit(const ReportedOrder &Order,
                                       const TypeTable &Types);

  /// Only if it fits. `Like`: a model of the wanted shape. `Level`: whose
  /// misses have fields.
  ReorderedModel(const ReportedOrder &Order, const TypeTable &Types,
                 const CacheModel &Like, CacheLevel Level);

  /// `OffsetBytes`: of the address in the object.
  void access(uint32_t OfType, uint32_t OffsetBytes, CountedModel::Access Of);

  WhatIf finish() const;

private:
  static constexpr uint32_t Hole = LossRow::OtherObject - 1;
  static std::vector<uint32_t> fieldsIn(std::span<const uint64_t> Bytes,
                                        uint64_t LineAddress, uint64_t Object,
                                        const std::vector<uint32_t> &FieldAt);
  /// One of the two orders.
  struct InOrder {
    InOrder(const CacheModel &Like, const RecordInfo &Record)
        : Model(Like.Geometry, Like.Options, 2), Missed(Record.Fields.size()),
          FieldAt(Record.SizeBytes, Hole) {}
    CountedModel Model;
    std::vector<uint64_t> Missed;  ///< by field
    std::vector<uint32_t> FieldAt; ///< by byte of the object
    LossTable Losses;
  };
  /// A step of ByteMoves to an object of the type.
  struct Step {
    uint64_t Object;
    uint32_t Field, Line; ///< as in LossRow
  };
  /// `To`: null for other types.
  void refer(InOrder &In, const Step *To, CountedModel::Access Of);
  OrderCounts finish(const InOrder &In) const;

  const ReportedOrder *Order;
  const CacheLevel Level;
  const uint32_t Type;
  ByteMoves Moves;
  InOrder Now, Then;
  uint64_t InHoles = 0, Unaligned = 0;
};

} // namespace kst
