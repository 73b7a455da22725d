// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same stream with the bytes of one struct in its present and in another
// order. Bytes move as in hybrid/replay, which --validate uses.

#pragma once

#include "hybrid/dprof/CountedModel.h"
#include "hybrid/dprof/ReportedOrder.h"
#include "hybrid/dprof/TypeTable.h"
#include "hybrid/replay/ByteMoves.h"

namespace kst {

class ReorderedModel {
public:
  /// Why this order cannot be replayed on such a trace, if so.
  static std::optional<Failure> misfit(const ReportedOrder &Order,
                                       const TypeTable &Types);

  /// Only if it fits. `Like`: a model of the wanted shape.
  ReorderedModel(const ReportedOrder &Order, const TypeTable &Types,
                 const CacheModel &Like);

  /// `OffsetBytes`: of the address in the object.
  void access(uint32_t OfType, uint32_t OffsetBytes, CountedModel::Access Of);

  WhatIf finish() const;

private:
  void refer(CountedModel &In, const CountedModel::Access &Of) {
    In.access(
        Of, [](uint64_t, const AccessOutcome &) {}, [](uint8_t, uint32_t) {});
  }

  const ReportedOrder &Order;
  const uint32_t Type;
  ByteMoves Moves;
  CountedModel Now, Then;
  uint64_t InHoles = 0;
};

} // namespace kst
