// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Constraints.h for the rules.

#include "hybrid/layout/Constraints.h"

#include <algorithm>

namespace kst {

Constraints::Constraints(const RecordInfo &Record,
                         const ConstraintOptions &Options) {
  group(Record);
  auto FixAll = [&](const char *Why) {
    AllFixed = true;
    Notes.push_back({"", Why});
  };
  if (Record.Union)
    FixAll("a union: every field starts at offset 0");
  if (Record.RandomizeLayout)
    FixAll("__randomize_layout: the compiler plugin chooses the order");
  fence(Record, Options);
}

/// Makes the units: runs of bit-fields, everything else by itself.
void Constraints::group(const RecordInfo &Record) {
  FieldUnit.resize(Record.Fields.size());
  bool InRun = false;
  for (uint32_t F = 0; F < Record.Fields.size(); ++F) {
    bool BitField = Record.Fields[F].BitField;
    if (!BitField || !InRun)
      Units.emplace_back();
    Units.back().Fields.push_back(F);
    FieldUnit[F] = static_cast<uint32_t>(Units.size() - 1);
    InRun = BitField;
  }
}

/// Finds fences and anchors, and cuts the units into segments at the fences.
void Constraints::fence(const RecordInfo &Record,
                        const ConstraintOptions &Options) {
  std::vector<const Pin *> PinOf(Record.Fields.size());
  for (const Pin &P : Options.Pins)
    if (P.Field < PinOf.size())
      PinOf[P.Field] = &P;

  uint32_t Segment = 0;
  bool Fenced = false; // the unit before was a fence by itself
  for (uint32_t U = 0; U < Units.size(); ++U) {
    bool Alone = AllFixed, IsAnchor = false;
    for (uint32_t F : Units[U].Fields) {
      const FieldInfo &Field = Record.Fields[F];
      auto Note = [&](std::string Why) { Notes.push_back({Field.Name, Why}); };
      if (PinOf[F]) {
        Alone = true;
        Note("pinned: " + PinOf[F]->Why);
      } else if (Field.FlexibleArray) {
        Alone = true;
        Note("flexible array: stays last");
      } else if (Field.ZeroSize && !Field.BitField) {
        Alone = true;
        Note("marker of no size: no field crosses it");
      } else if (Field.ExplicitAlignBytes >= Options.FenceAlignBytes) {
        bool IsFence = Options.Aligned == AlignedRule::Fence;
        (IsFence ? Alone : IsAnchor) = true;
        Note("aligned to " + std::to_string(Field.ExplicitAlignBytes) +
             " bytes: keeps the start of its line" +
             (IsFence ? ", and no field crosses it"
                      : "; other fields may move to either side of it"));
      }
    }
    if (U && (Alone || Fenced))
      ++Segment;
    Units[U].Segment = Segment;
    Units[U].Anchor = IsAnchor && !Alone;
    Units[U].Movable = !Alone && !IsAnchor;
    Fenced = Alone;
  }

  for (uint32_t U = 0; U < Units.size(); ++U)
    if (!U || Units[U].Segment != Units[U - 1].Segment)
      SegmentStart.push_back(U);
  SegmentStart.push_back(static_cast<uint32_t>(Units.size()));
}

uint32_t Constraints::segmentBegin(uint32_t Unit) const {
  return SegmentStart[Units[Unit].Segment];
}

uint32_t Constraints::segmentEnd(uint32_t Unit) const {
  return SegmentStart[Units[Unit].Segment + 1];
}

bool Constraints::legal(std::span<const uint32_t> UnitOrder) const {
  if (UnitOrder.size() != Units.size())
    return false;
  std::vector<bool> Seen(Units.size());
  uint32_t LastAnchor = 0;
  for (uint32_t At = 0; At < UnitOrder.size(); ++At) {
    uint32_t U = UnitOrder[At];
    if (U >= Units.size() || Seen[U] || Units[U].Segment != Units[At].Segment)
      return false;
    Seen[U] = true;
    if (!Units[U].Anchor)
      continue;
    if (U < LastAnchor)
      return false;
    LastAnchor = U;
  }
  return true;
}

void Constraints::fields(std::span<const uint32_t> UnitOrder,
                         std::vector<uint32_t> &Order) const {
  Order.clear();
  for (uint32_t U : UnitOrder)
    Order.insert(Order.end(), Units[U].Fields.begin(), Units[U].Fields.end());
}

std::vector<uint32_t>
Constraints::fields(std::span<const uint32_t> UnitOrder) const {
  std::vector<uint32_t> Order;
  fields(UnitOrder, Order);
  return Order;
}

std::vector<bool> movedUnits(std::span<const uint32_t> UnitOrder) {
  // Patience sorting; Back[i] is the position before i in the best sequence
  // that ends at i.
  constexpr size_t NoPosition = ~size_t(0);
  std::vector<size_t> Tails, Back(UnitOrder.size(), NoPosition);
  for (size_t I = 0; I < UnitOrder.size(); ++I) {
    auto At = std::lower_bound(
        Tails.begin(), Tails.end(), UnitOrder[I],
        [&](size_t Tail, uint32_t U) { return UnitOrder[Tail] < U; });
    if (At != Tails.begin())
      Back[I] = *std::prev(At);
    if (At == Tails.end())
      Tails.push_back(I);
    else
      *At = I;
  }
  std::vector<bool> Moved(UnitOrder.size(), true);
  if (!Tails.empty())
    for (size_t I = Tails.back(); I != NoPosition; I = Back[I])
      Moved[UnitOrder[I]] = false;
  return Moved;
}

} // namespace kst
