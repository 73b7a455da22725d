// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ReorderedModel.h"

#include <algorithm>

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
                               const TypeTable &Types, const CacheModel &Like,
                               CacheLevel Level)
    : Order(&Order), Level(Level), Type(*typeOf(Order, Types)),
      Moves(Order.Record, {&Order.Current, &Order.Proposed}),
      Now(Like, Order.Record), Then(Like, Order.Record) {
  for (const BytePiece &Piece : Moves.pieces())
    for (size_t I : {0, 1})
      // A damaged report may have fields that overlap.
      for (uint64_t Byte = Piece.Offsets[I], Left = Piece.End - Piece.Begin;
           Left-- && Byte < Order.Record.SizeBytes; ++Byte)
        (I ? Then : Now).FieldAt[Byte] = Piece.Field;
}

/// What other CPUs wrote on the line: fields of the object, and others.
std::vector<uint32_t>
ReorderedModel::fieldsIn(std::span<const uint64_t> Bytes, uint64_t LineAddress,
                         uint64_t Object,
                         const std::vector<uint32_t> &FieldAt) {
  std::vector<uint32_t> Fields;
  for (size_t Word = 0; Word < Bytes.size(); ++Word)
    for (uint64_t Left = Bytes[Word]; Left; Left &= Left - 1) {
      // Wraps in front of the object, and is behind it then.
      const uint64_t At =
          LineAddress + Word * 64 + unsigned(std::countr_zero(Left)) - Object;
      const uint32_t Field =
          At < FieldAt.size() ? FieldAt[At] : LossRow::OtherObject;
      if (Field != Hole && (Fields.empty() || Fields.back() != Field))
        Fields.push_back(Field);
    }
  std::sort(Fields.begin(), Fields.end());
  Fields.erase(std::unique(Fields.begin(), Fields.end()), Fields.end());
  return Fields;
}

void ReorderedModel::refer(InOrder &In, const Step *To,
                           CountedModel::Access Of) {
  const CacheModel &Model = In.Model.model();
  auto CpuLine = [&](uint64_t Line) {
    return Line * Model.Options.Cpus + Of.Cpu;
  };
  Of.Group = Of.Tag = !To;
  In.Model.access(
      Of,
      [&](uint64_t Line, const AccessOutcome &Out) {
        const MissClass Why = Out.Class[size_t(Level)];
        if (!To || Why == MissClass::None)
          return;
        ++In.Missed[To->Field];
        if (Why != MissClass::TrueSharing && Why != MissClass::FalseSharing)
          return;
        In.Losses.count(
            {To->Field, To->Line,
             fieldsIn(Model.writtenByOthers(Of.Cpu, Line),
                      Line * Model.Geometry.LineBytes, To->Object, In.FieldAt)},
            Why == MissClass::TrueSharing, CpuLine(Line));
      },
      [&](uint8_t Levels, uint32_t Tag, uint64_t Line) {
        if (!Tag && Levels >> size_t(Level) & 1)
          In.Losses.turnTrue(CpuLine(Line));
      });
}

void ReorderedModel::access(uint32_t OfType, uint32_t OffsetBytes,
                            CountedModel::Access Of) {
  if (OfType != Type) {
    refer(Now, nullptr, Of);
    refer(Then, nullptr, Of);
    return;
  }
  const uint32_t LineBytes = Now.Model.model().Geometry.LineBytes;
  const uint64_t Object = Of.Address - OffsetBytes;
  Unaligned += Object % LineBytes != 0;
  InHoles += !Moves.forEachStep(
      Object, OffsetBytes, uint64_t(OffsetBytes) + Of.Bytes, LineBytes,
      [&](const BytePiece &Piece, uint32_t Bytes,
          std::span<const uint64_t> Addresses) {
        const Step To{Object, Piece.Field,
                      uint32_t((Addresses[0] - Object) / LineBytes)};
        Of.Bytes = Bytes;
        Of.Address = Addresses[0];
        refer(Now, &To, Of);
        Of.Address = Addresses[1];
        refer(Then, &To, Of);
      });
}

OrderCounts ReorderedModel::finish(const InOrder &In) const {
  return {{In.Model.counts()[0], In.Model.counts()[1]},
          In.Missed,
          In.Losses.rows()};
}

WhatIf ReorderedModel::finish() const {
  WhatIf Out;
  Out.Type = Order->Record.Name;
  Out.MovedBytes = Order->movedBytes();
  Out.InHoles = InHoles;
  Out.Unaligned = Unaligned;
  Out.Before = finish(Now);
  Out.After = finish(Then);
  return Out;
}

} // namespace kst
