// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same stream through a second model, in which the bytes of one struct lie
// in another order.

#pragma once

#include "hybrid/dprof/ByteOrder.h"
#include "hybrid/dprof/CountedModel.h"
#include "hybrid/dprof/TypeTable.h"

namespace kst {

class ReorderedModel {
public:
  /// Why this order cannot be replayed on such a trace, if so.
  static std::optional<Failure> misfit(const ByteOrder &Order,
                                       const TypeTable &Types);

  /// Only if it fits. `Like`: the model of the present order.
  ReorderedModel(const ByteOrder &Order, const TypeTable &Types,
                 const CacheModel &Like);

  /// As the first model has it; `OffsetBytes`: of its address in the object.
  void access(uint32_t OfType, uint32_t OffsetBytes,
              CountedModel::Access Original) {
    Original.Group = OfType != Type;
    if (OfType != Type)
      return refer(Original);
    const uint64_t Object = Original.Address - OffsetBytes;
    Order.forEachRun(OffsetBytes, Original.Bytes,
                     [&](uint32_t Begin, uint32_t Bytes) {
                       Original.Address = Object + Begin;
                       Original.Bytes = Bytes;
                       refer(Original);
                     });
  }

  /// `Now`: the counts of the first model, by type.
  WhatIf finish(const std::vector<AccessCounts> &Now) const;

private:
  void refer(const CountedModel::Access &Of) {
    Then.access(
        Of, [](uint64_t, const AccessOutcome &) {}, [](uint8_t, uint32_t) {});
  }

  const ByteOrder &Order;
  const uint32_t Type;
  CountedModel Then;
};

} // namespace kst
