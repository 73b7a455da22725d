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
  nest(Record);
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
  bool Lifted = Said.Liftable && std::ranges::find(Options.Lifted, Index) !=
                                     Options.Lifted.end();
  Notes.push_back(std::move(Said));
  return !Lifted;
}

/// What is joined with something outside of its group takes the group along.
static void closeCut(const RecordInfo &Record, std::vector<bool> &WithNext) {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  for (size_t G = Record.Groups.size(); G-- > 0;) { // inner before outer
    auto In = [&](uint32_t F) {
      return isInside(Record, Record.Fields[F].Group, static_cast<uint32_t>(G));
    };
    bool Cut = false;
    for (uint32_t F = 0; F + 1 < N; ++F)
      Cut |= WithNext[F] && In(F) != In(F + 1);
    for (uint32_t F = 0; Cut && F + 1 < N; ++F)
      if (In(F) && In(F + 1))
        WithNext[F] = true;
  }
}

/// Makes the move units: runs of bit-fields and what the source makes in one
/// piece; everything else by itself.
void Constraints::group(const RecordInfo &Record,
                        const ConstraintOptions &Options) {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  std::vector<bool> WithNext(N);
  for (uint32_t F = 0; F + 1 < N; ++F)
    WithNext[F] = Record.Fields[F].BitField && Record.Fields[F + 1].BitField &&
                  Record.Fields[F].Group == Record.Fields[F + 1].Group;
  for (const SourceRule &Rule : Options.Rules) {
    if (Rule.Kind != RuleKind::Join || Rule.Fields.size() < 2 ||
        Rule.Fields.back() >= N)
      continue;
    ConstraintNote Said = noteOf(Rule, Record, Rule.Fields.front());
    Said.Liftable = false; // without it there are other move units: not priced
    note(std::move(Said), Options);
    for (uint32_t F = Rule.Fields.front(); F < Rule.Fields.back(); ++F)
      WithNext[F] = true;
  }
  closeCut(Record, WithNext);
  FieldMoveUnit.resize(N);
  for (uint32_t F = 0; F < N; ++F) {
    if (!F || !WithNext[F - 1])
      MoveUnits.emplace_back();
    MoveUnits.back().Fields.push_back(F);
    FieldMoveUnit[F] = static_cast<uint32_t>(MoveUnits.size() - 1);
  }
}

/// Notes whatever makes the field stay with nothing crossing it.
bool Constraints::isImmovableField(const RecordInfo &Record,
                                   const ConstraintOptions &Options,
                                   uint32_t F) {
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
    if (Rule.Kind == RuleKind::ImmovableField && Rule.Fields == std::vector{F})
      Holds |= note(noteOf(Rule, Record, F), Options);
  if (Field.FlexibleArray)
    Say("flexible", "flexible array: stays last",
        "the language allows it at the end only");
  else if (Field.ZeroSize && !Field.BitField)
    Say("marker", "marker of no size: no field crosses it",
        "take the marker out of the definition");
  return Holds;
}

/// Of a field or an anonymous struct.
static ConstraintNote alignedNote(const std::string &Name, uint32_t Bytes,
                                  const ConstraintOptions &Options) {
  bool IsImmovableField = Options.Aligned == AlignedRule::ImmovableField;
  ConstraintNote Said;
  Said.Field = Name;
  Said.Why =
      "aligned to " + std::to_string(Bytes) +
      " bytes: keeps the start of its line" +
      (IsImmovableField ? ", and no field crosses it"
                        : "; other fields may move to either side of it");
  Said.Id = ruleId("aligned", Name);
  Said.Unliftable = "take the alignment out of the definition";
  return Said;
}

bool Constraints::isAnchor(const RecordInfo &Record,
                           const ConstraintOptions &Options, uint32_t F) {
  const FieldInfo &Field = Record.Fields[F];
  if (Field.FlexibleArray || (Field.ZeroSize && !Field.BitField) ||
      Field.ExplicitAlignBytes < Options.ImmovableFieldAlignBytes)
    return false;
  return note(alignedNote(Field.Name, Field.ExplicitAlignBytes, Options),
              Options);
}

/// Finds immovable fields and anchors, and cuts the move units into segments at
/// the immovable fields and barriers.
void Constraints::fence(const RecordInfo &Record,
                        const ConstraintOptions &Options) {
  const uint32_t N = static_cast<uint32_t>(Record.Fields.size());
  std::vector<bool> Cut(MoveUnits.size() +
                        1); ///< nothing crosses before the move unit
  for (const SourceRule &Rule : Options.Rules) {
    if (Rule.Kind != RuleKind::Barrier || Rule.Fields.size() != 1 ||
        Rule.Fields[0] > N)
      continue;
    uint32_t F = Rule.Fields[0];
    if (note(noteOf(Rule, Record, F), Options))
      Cut[F < N ? FieldMoveUnit[F] : MoveUnits.size()] = true;
  }
  for (uint32_t U = 0; U < MoveUnits.size(); ++U) {
    bool Alone = AllFixed, IsAnchor = false;
    for (uint32_t F : MoveUnits[U].Fields) {
      Alone |= isImmovableField(Record, Options, F);
      bool AnchorHere = isAnchor(Record, Options, F);
      (Options.Aligned == AlignedRule::ImmovableField ? Alone : IsAnchor) |=
          AnchorHere;
    }
    MoveUnits[U].Anchor = IsAnchor && !Alone;
    MoveUnits[U].Movable = !Alone && !IsAnchor;
    if (Alone)
      Cut[U] = Cut[U + 1] = true;
  }
  settleGroups(Record, Options, Cut);
  uint32_t Segment = 0;
  for (uint32_t U = 0; U < MoveUnits.size(); ++U) {
    Segment += U && Cut[U];
    MoveUnits[U].Segment = Segment;
    if (!U || Cut[U])
      SegmentStart.push_back(U);
  }
  SegmentStart.push_back(static_cast<uint32_t>(MoveUnits.size()));
}

/// Which groups may move or be crossed; adds what nothing crosses to Cut.
void Constraints::settleGroups(const RecordInfo &Record,
                               const ConstraintOptions &Options,
                               std::vector<bool> &Cut) {
  // Rules about places in the record also hold the groups around them; that an
  // array stays last, or a marker between its neighbours, is about the inside.
  std::vector<bool> Holds(MoveUnits.size() + 1);
  for (uint32_t U = 0; U < MoveUnits.size(); ++U) {
    auto Speaks = [&](uint32_t F) {
      auto Here = [&](const SourceRule &Rule) {
        return (Rule.Kind == RuleKind::ImmovableField ||
                Rule.Kind == RuleKind::Barrier) &&
               Rule.Fields == std::vector{F};
      };
      return std::ranges::any_of(Options.Rules, Here) ||
             std::ranges::any_of(Options.Pins,
                                 [&](const Pin &P) { return P.Field == F; });
    };
    Holds[U] = AllFixed ||
               (Cut[U] && std::ranges::any_of(MoveUnits[U].Fields, Speaks));
  }
  std::vector<bool> Fixed(Groups.size());
  for (uint32_t G = 0; G < Groups.size(); ++G) {
    MoveUnitGroup &Group = Groups[G];
    const GroupInfo &Info = Record.Groups[G];
    if (Group.Begin == Group.End)
      continue;
    Fixed[G] = std::find(Holds.begin() + Group.Begin, Holds.begin() + Group.End,
                         true) != Holds.begin() + Group.End;
    Group.Anchor =
        Info.ExplicitAlignBytes >= Options.ImmovableFieldAlignBytes &&
        note(alignedNote(Info.Name, Info.ExplicitAlignBytes, Options), Options);
    Fixed[G] = Fixed[G] ||
               (Group.Anchor && Options.Aligned == AlignedRule::ImmovableField);
  }
  const std::vector<bool> Between = Cut;
  uint32_t Stretch = 0;
  for (std::vector<Sibling> &Siblings : Members) {
    for (size_t I = 0; I < Siblings.size(); ++I) {
      Sibling &At = Siblings[I];
      bool Alone = At.Group != NoGroup && Fixed[At.Group];
      bool After =
          I && Siblings[I - 1].Group != NoGroup && Fixed[Siblings[I - 1].Group];
      Stretch += !I || Alone || After || Between[At.Begin];
      At.Stretch = Stretch;
      At.Anchor = At.Group == NoGroup ? MoveUnits[At.Begin].Anchor
                                      : Groups[At.Group].Anchor;
      if (At.Group != NoGroup)
        Cut[At.Begin] = Cut[At.End] = true;
    }
  }
  // A group floats if a sibling of its stretch, or it itself, may move.
  std::vector<bool> Open(MoveUnits.size() + 1, true); ///< a zone may begin here
  auto Same = [](const Sibling &A, const Sibling &B) {
    return A.Stretch == B.Stretch;
  };
  for (std::vector<Sibling> &Siblings : Members)
    for (size_t Begin = 0, End = 0; Begin < Siblings.size(); Begin = End) {
      bool Has = false, Moves = false;
      for (; End < Siblings.size() && Same(Siblings[Begin], Siblings[End]);
           ++End) {
        const Sibling &At = Siblings[End];
        Has |= At.Group != NoGroup;
        Moves |= At.Group == NoGroup ? MoveUnits[At.Begin].Movable : !At.Anchor;
      }
      if (End - Begin < 2 || !Has || !Moves)
        continue;
      Floats = true;
      for (size_t I = Begin; I < End; ++I)
        if (uint32_t G = Siblings[I].Group; G != NoGroup)
          Groups[G].Movable = !Siblings[I].Anchor;
      for (uint32_t U = Siblings[Begin].Begin + 1; U < Siblings[End - 1].End;
           ++U)
        Open[U] = false;
    }
  for (uint32_t U = 0; U < MoveUnits.size(); ++U) {
    if (!U || (Cut[U] && Open[U]))
      ZoneStart.push_back(U);
    MoveUnits[U].Zone = static_cast<uint32_t>(ZoneStart.size() - 1);
  }
  ZoneStart.push_back(static_cast<uint32_t>(MoveUnits.size()));
}

bool Constraints::mayMove(uint32_t MoveUnit) const {
  bool Moves = MoveUnits[MoveUnit].Movable;
  for (uint32_t G = MoveUnits[MoveUnit].Group; G != NoGroup;
       G = Groups[G].Parent)
    Moves |= Groups[G].Movable;
  return Moves;
}

uint32_t Constraints::segmentBegin(uint32_t MoveUnit) const {
  return SegmentStart[MoveUnits[MoveUnit].Segment];
}

uint32_t Constraints::segmentEnd(uint32_t MoveUnit) const {
  return SegmentStart[MoveUnits[MoveUnit].Segment + 1];
}

bool Constraints::legal(std::span<const uint32_t> MoveUnitOrder) const {
  if (MoveUnitOrder.size() != MoveUnits.size())
    return false;
  if (Floats) {
    size_t At = 0;
    return nestedLegal(MoveUnitOrder, Groups.size(), At);
  }
  std::vector<bool> Seen(MoveUnits.size());
  uint32_t LastAnchor = 0;
  for (uint32_t At = 0; At < MoveUnitOrder.size(); ++At) {
    uint32_t U = MoveUnitOrder[At];
    if (U >= MoveUnits.size() || Seen[U] ||
        MoveUnits[U].Segment != MoveUnits[At].Segment)
      return false;
    Seen[U] = true;
    if (!MoveUnits[U].Anchor)
      continue;
    if (U < LastAnchor)
      return false;
    LastAnchor = U;
  }
  return true;
}

void Constraints::fields(std::span<const uint32_t> MoveUnitOrder,
                         std::vector<uint32_t> &Order) const {
  Order.clear();
  for (uint32_t U : MoveUnitOrder)
    Order.insert(Order.end(), MoveUnits[U].Fields.begin(),
                 MoveUnits[U].Fields.end());
}

std::vector<uint32_t>
Constraints::fields(std::span<const uint32_t> MoveUnitOrder) const {
  std::vector<uint32_t> Order;
  fields(MoveUnitOrder, Order);
  return Order;
}

} // namespace kst
