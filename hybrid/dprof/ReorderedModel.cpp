// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ReorderedModel.h"

namespace kst {

std::optional<Failure> ReorderedModel::misfit(const ByteOrder &Order,
                                              const TypeTable &Types) {
  const std::string Name = "struct " + Order.structName();
  const auto Type = Types.named(Order.structName());
  if (!Type)
    return Failure{"the trace knows no " + Name};
  const uint32_t Size = Types.types()[*Type].SizeBytes;
  if (Size && Size != Order.sizeBytes())
    return Failure{Name + " has " + std::to_string(Size) +
                   " bytes in the trace and " +
                   std::to_string(Order.sizeBytes()) +
                   " in the report: they are of different configurations"};
  return std::nullopt;
}

ReorderedModel::ReorderedModel(const ByteOrder &Order, const TypeTable &Types,
                               const CacheModel &Like)
    : Order(Order), Type(*Types.named(Order.structName())),
      Then(Like.Geometry, Like.Options, 2) {}

WhatIf ReorderedModel::finish(const std::vector<AccessCounts> &Now) const {
  WhatIf Out;
  Out.Type = Order.structName();
  Out.MovedBytes = Order.movedBytes();
  for (uint32_t T = 0; T < Now.size(); ++T)
    Out.Before[T != Type] += Now[T];
  for (size_t Group = 0; Group < 2; ++Group)
    Out.After[Group] = Then.counts()[Group];
  return Out;
}

} // namespace kst
