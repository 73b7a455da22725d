// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/SearchSpace.h"

#include <algorithm>
#include <numeric>

namespace kst {

SearchSpace::SearchSpace(const RecordInfo &Record, const Constraints &Rules,
                         const LayoutCost &Model)
    : SearchSpace(Record, Rules,
                  {SearchConfig{FieldOffsets(Record), &Model, 1}}, {}) {}

SearchSpace::SearchSpace(const RecordInfo &Record, const Constraints &Rules,
                         std::vector<SearchConfig> Given,
                         std::vector<Placement> Asked)
    : Record(Record), Rules(Rules), Configs(std::move(Given)),
      Demands(std::move(Asked)) {
  for (const MoveUnit &U : Rules.bricks()) {
    MoveUnitShape Shape;
    uint64_t Bits = 0;
    for (uint32_t F : U.Fields) {
      const FieldInfo &Field = Record.Fields[F];
      Bits += Field.SizeBits;
      Shape.AlignBytes = std::max<uint64_t>(Shape.AlignBytes, Field.AlignBytes);
      for (const SearchConfig &In : Configs) {
        Shape.Heat += In.Share * In.Model->heat(F);
        Shape.Active |= In.Model->active(F);
      }
    }
    Shape.SizeBytes = (Bits + 7) / 8;
    Shapes.push_back(Shape);
  }
  findRuns();
  for (const Placement &Demand : Demands) {
    Shapes[Rules.moveUnitOf(Demand.Field)].Active = true;
    Shapes[Rules.moveUnitOf(Demand.Other)].Active |=
        Demand.Kind == PlacementKind::With ||
        Demand.Kind == PlacementKind::Apart;
  }
  for (uint32_t U = 0; U < Shapes.size(); ++U)
    if (Shapes[U].Active && Rules.bricks()[U].Movable)
      Active.push_back(U);
  std::ranges::stable_sort(Active, [&](uint32_t A, uint32_t B) {
    return Shapes[A].Heat > Shapes[B].Heat;
  });
  // A field lies on two lines at most, and a line is lost at most as often as
  // it is used, by its fields together at most.
  for (const SearchConfig &In : Configs) {
    double Most = 1;
    for (uint32_t F = 0; F < Record.Fields.size(); ++F)
      Most += 2 * In.Model->dearestLine() * In.Model->heat(F);
    Penalty += In.Share * Most;
  }
}

void SearchSpace::findRuns() {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  RunOf.resize(N);
  Parts.resize(N);
  uint32_t Run = 0;
  bool InRun = false;
  for (uint32_t F = 0; F < N; ++F) {
    const FieldInfo &Field = Record.Fields[F];
    InRun = InRun && Record.Fields[F - 1].Group == Field.Group;
    bool Everywhere = std::ranges::all_of(
        Configs, [&](const SearchConfig &In) { return In.Offsets.present(F); });
    // A width of zero parts; a member of no size does not.
    Parts[F] =
        Everywhere && (Field.BitField ? !Field.SizeBits : Field.SizeBits > 0);
    if (Field.BitField && Field.SizeBits) {
      Run += !InRun;
      InRun = true;
      RunOf[F] = Run;
    } else if (Parts[F]) {
      InRun = false;
    }
  }
  SeveralRuns = Run > 1;
}

double SearchSpace::price(std::span<const uint32_t> Order) const {
  std::vector<uint32_t> Fields = Rules.fields(Order);
  double Sum = 0;
  size_t Broken = 0;
  for (const SearchConfig &In : Configs) {
    Layout Plan = In.Offsets.layout(Fields);
    Sum += In.Share * In.Model->price(Plan).total();
    Broken += wordsTooMany(In, Plan.SizeBytes);
    if (&In == &Configs.front())
      Broken += unmet(Plan.Order, Plan.OffsetBits);
  }
  return Sum + Penalty * static_cast<double>(Broken);
}

size_t SearchSpace::unmet(std::span<const uint32_t> Order,
                          std::span<const uint64_t> OffsetBits) const {
  size_t Count = 0;
  for (const Placement &Demand : Demands)
    Count +=
        !meets(Demand, Record, Order, OffsetBits, model().options().LineBytes);
  return Count + runsThatMeet(Order);
}

size_t SearchSpace::runsThatMeet(std::span<const uint32_t> Order) const {
  if (!SeveralRuns)
    return 0;
  size_t Count = 0;
  uint32_t Run = 0; // of the last bit-field that nothing parts from here
  uint32_t Group = NoGroup;
  for (uint32_t F : Order) {
    // A struct's bit-fields are apart from those around it.
    if (Record.Fields[F].Group != Group)
      Run = 0;
    Group = Record.Fields[F].Group;
    Count += Run && RunOf[F] && RunOf[F] != Run;
    if (RunOf[F])
      Run = RunOf[F];
    else if (Parts[F])
      Run = 0;
  }
  return Count;
}

uint64_t SearchSpace::wordsTooMany(const SearchConfig &In, uint64_t SizeBytes) {
  return SizeBytes > In.MostBytes ? (SizeBytes - In.MostBytes + 7) / 8 : 0;
}

size_t SearchSpace::broken(std::span<const uint32_t> Order,
                           std::span<const uint64_t> OffsetBits) const {
  size_t Count = unmet(Order, OffsetBits);
  std::vector<uint64_t> Offsets;
  for (const SearchConfig &In : Configs)
    if (In.MostBytes != ~0ull)
      Count += wordsTooMany(In, In.Offsets.place(Order, Offsets));
  return Count;
}

size_t SearchSpace::broken(const MoveUnitOrder &Order) const {
  Layout Plan = layout(Order);
  return broken(Plan.Order, Plan.OffsetBits);
}

MoveUnitOrder SearchSpace::declared() const {
  MoveUnitOrder Order(brickCount());
  std::iota(Order.begin(), Order.end(), 0u);
  return Order;
}

} // namespace kst
