// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Constraints.h for the rules.

#include "hybrid/layout/Constraints.h"

#include <algorithm>

namespace kst {

/// The note of a rule that the source demands, about the field if it is one.
static ConstraintNote noteOf(const SourceRule &Rule, const RecordInfo &Record,
                             uint32_t Field = ~0u) {
  ConstraintNote Said;
  if (Field < Record.Fields.size())
    Said.Field = Record.Fields[Field].Name;
  Said.Why = Rule.Why;
  Said.Where = Rule.Where;
  Said.Id = Rule.Id;
  Said.Strength = Rule.Strength;
  Said.Unliftable = Rule.Unliftable;
  return Said;
}

Constraints::Constraints(const RecordInfo &Record,
                         const ConstraintOptions &Options) {
  auto FixAll = [&](const char *Topic, const char *Why) {
    ConstraintNote Said;
    Said.Why = Why;
    Said.Liftable = false;
    Said.Id = ruleId(Topic);
    Said.Unliftable = "no order of the source changes what the compiler does";
    AllFixed |= note(std::move(Said), Options);
  };
  if (Record.Union)
    FixAll("union", "a union: every field starts at offset 0");
  if (Record.RandomizeLayout)
    FixAll("randomize",
           "__randomize_layout: the compiler plugin chooses the order");
  for (const SourceRule &Rule : Options.Rules)
    if (Rule.Kind == RuleKind::AllFixed)
      AllFixed |= note(noteOf(Rule, Record), Options);
  group(Record, Options);
  fence(Record, Options);
  noteLifted(Record, Options);
}

/// Behind the notes of all rules that are obeyed.
void Constraints::noteLifted(const RecordInfo &Record,
                             const ConstraintOptions &Options) {
  for (const SourceRule &Rule : Options.LiftedRules) {
    Notes.push_back(
        noteOf(Rule, Record, Rule.Fields.empty() ? ~0u : Rule.Fields.front()));
    Notes.back().Liftable = false; // there is nothing left to price
    Notes.back().Lifted = true;
  }
}

/// Writes the rule down; true if it is to be obeyed.
bool Constraints::note(ConstraintNote Said, const ConstraintOptions &Options) {
  uint32_t Index = static_cast<uint32_t>(Notes.size());
  bool Lifted =
      Said.Liftable && std::find(Options.Lifted.begin(), Options.Lifted.end(),
                                 Index) != Options.Lifted.end();
  Notes.push_back(std::move(Said));
  return !Lifted;
}

/// Makes the units: runs of bit-fields and what the source makes in one piece;
/// everything else by itself.
void Constraints::group(const RecordInfo &Record,
                        const ConstraintOptions &Options) {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  std::vector<bool> WithNext(N);
  for (uint32_t F = 0; F + 1 < N; ++F)
    WithNext[F] = Record.Fields[F].BitField && Record.Fields[F + 1].BitField;
  for (const SourceRule &Rule : Options.Rules) {
    if (Rule.Kind != RuleKind::Join || Rule.Fields.size() < 2 ||
        Rule.Fields.back() >= N)
      continue;
    ConstraintNote Said = noteOf(Rule, Record, Rule.Fields.front());
    Said.Liftable = false; // without it there are other units: not priced
    note(std::move(Said), Options);
    for (uint32_t F = Rule.Fields.front(); F < Rule.Fields.back(); ++F)
      WithNext[F] = true;
  }
  FieldUnit.resize(N);
  for (uint32_t F = 0; F < N; ++F) {
    if (!F || !WithNext[F - 1])
      Units.emplace_back();
    Units.back().Fields.push_back(F);
    FieldUnit[F] = static_cast<uint32_t>(Units.size() - 1);
  }
}

/// Notes whatever makes the field stay with nothing crossing it.
bool Constraints::isFence(const RecordInfo &Record,
                          const ConstraintOptions &Options, uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  bool Holds = false;
  auto Say = [&](const char *Topic, std::string Why, const char *Unliftable) {
    ConstraintNote Said;
    Said.Field = Field.Name;
    Said.Why = std::move(Why);
    Said.Id = ruleId(Topic, Field.Name);
    Said.Unliftable = Unliftable;
    Said.Liftable = !Field.FlexibleArray;
    Holds |= note(std::move(Said), Options);
  };
  for (const Pin &P : Options.Pins)
    if (P.Field == F)
      Say("pin", "pinned: " + P.Why, "leave that --pin out");
  for (const SourceRule &Rule : Options.Rules)
    if (Rule.Kind == RuleKind::Fence && Rule.Fields == std::vector{F})
      Holds |= note(noteOf(Rule, Record, F), Options);
  if (Field.FlexibleArray)
    Say("flexible", "flexible array: stays last",
        "the language allows it at the end only");
  else if (Field.ZeroSize && !Field.BitField)
    Say("marker", "marker of no size: no field crosses it",
        "take the marker out of the definition");
  return Holds;
}

bool Constraints::isAnchor(const RecordInfo &Record,
                           const ConstraintOptions &Options, uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  if (Field.FlexibleArray || (Field.ZeroSize && !Field.BitField) ||
      Field.ExplicitAlignBytes < Options.FenceAlignBytes)
    return false;
  bool IsFence = Options.Aligned == AlignedRule::Fence;
  ConstraintNote Said;
  Said.Field = Field.Name;
  Said.Why = "aligned to " + std::to_string(Field.ExplicitAlignBytes) +
             " bytes: keeps the start of its line" +
             (IsFence ? ", and no field crosses it"
                      : "; other fields may move to either side of it");
  Said.Id = ruleId("aligned", Field.Name);
  Said.Unliftable = "take the alignment out of the definition";
  return note(std::move(Said), Options);
}

/// Finds fences and anchors, and cuts the units into segments at the fences
/// and barriers.
void Constraints::fence(const RecordInfo &Record,
                        const ConstraintOptions &Options) {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  std::vector<bool> Cut(Units.size() + 1); ///< nothing crosses before the unit
  for (const SourceRule &Rule : Options.Rules) {
    if (Rule.Kind != RuleKind::Barrier || Rule.Fields.size() != 1 ||
        Rule.Fields[0] > N)
      continue;
    uint32_t F = Rule.Fields[0];
    if (note(noteOf(Rule, Record, F), Options))
      Cut[F < N ? FieldUnit[F] : Units.size()] = true;
  }
  for (uint32_t U = 0; U < Units.size(); ++U) {
    bool Alone = AllFixed, IsAnchor = false;
    for (uint32_t F : Units[U].Fields) {
      Alone |= isFence(Record, Options, F);
      bool AnchorHere = isAnchor(Record, Options, F);
      (Options.Aligned == AlignedRule::Fence ? Alone : IsAnchor) |= AnchorHere;
    }
    Units[U].Anchor = IsAnchor && !Alone;
    Units[U].Movable = !Alone && !IsAnchor;
    if (Alone)
      Cut[U] = Cut[U + 1] = true;
  }
  uint32_t Segment = 0;
  for (uint32_t U = 0; U < Units.size(); ++U) {
    Segment += U && Cut[U];
    Units[U].Segment = Segment;
    if (!U || Cut[U])
      SegmentStart.push_back(U);
  }
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
