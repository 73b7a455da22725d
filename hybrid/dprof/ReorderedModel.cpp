// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ReorderedModel.h"

namespace kst {

/// The type that the order is of, if the trace has it in that size.
static std::optional<uint32_t> typeOf(const ReportedOrder &Order,
                                      const TypeTable &Types) {
  for (uint32_t T = 0; T < Types.types().size(); ++T) {
    const DataType &Of = Types.types()[T];
    if (Of.Name == Order.Record.Name && Of.Kind == TypeKind::Struct &&
        (!Of.SizeBytes || Of.SizeBytes == Order.Record.SizeBytes))
      return T;
  }
  return std::nullopt;
}

std::optional<Failure> ReorderedModel::misfit(const ReportedOrder &Order,
                                              const TypeTable &Types) {
  if (typeOf(Order, Types))
    return std::nullopt;
  const std::string Name = "struct " + Order.Record.Name;
  const auto Other = Types.named(Order.Record.Name);
  if (!Other)
    return Failure{"the trace knows no " + Name};
  return Failure{
      Name + " has " + std::to_string(Types.types()[*Other].SizeBytes) +
      " bytes in the trace and " + std::to_string(Order.Record.SizeBytes) +
      " in the report: they are of different configurations"};
}

ReorderedModel::ReorderedModel(const ReportedOrder &Order,
                               const TypeTable &Types, const CacheModel &Like)
    : Order(Order), Type(*typeOf(Order, Types)),
      Moves(Order.Record, {&Order.Current, &Order.Proposed}),
      Now(Like.Geometry, Like.Options, 2),
      Then(Like.Geometry, Like.Options, 2) {}

void ReorderedModel::access(uint32_t OfType, uint32_t OffsetBytes,
                            CountedModel::Access Of) {
  Of.Group = OfType != Type;
  if (OfType != Type) {
    refer(Now, Of);
    refer(Then, Of);
    return;
  }
  InHoles += !Moves.forEachStep(Of.Address - OffsetBytes, OffsetBytes,
                                uint64_t(OffsetBytes) + Of.Bytes,
                                Now.model().Geometry.LineBytes,
                                [&](const BytePiece &, uint32_t Bytes,
                                    std::span<const uint64_t> Addresses) {
                                  Of.Bytes = Bytes;
                                  Of.Address = Addresses[0];
                                  refer(Now, Of);
                                  Of.Address = Addresses[1];
                                  refer(Then, Of);
                                });
}

WhatIf ReorderedModel::finish() const {
  WhatIf Out;
  Out.Type = Order.Record.Name;
  Out.MovedBytes = Order.movedBytes();
  Out.InHoles = InHoles;
  for (size_t Group = 0; Group < 2; ++Group) {
    Out.Before[Group] = Now.counts()[Group];
    Out.After[Group] = Then.counts()[Group];
  }
  return Out;
}

} // namespace kst
