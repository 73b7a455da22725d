// SPDX-License-Identifier: GPL-2.0-or-later
//
// What may move, and how far, as far as the definition itself (and the caller's
// pins) shows. Fields that must stay together form one move unit; move units
// that must not be crossed cut the record into segments.
//
//  - adjacent bit-fields: one move unit (splitting a run changes its packing);
//  - an anonymous union: one field, hence one move unit;
//  - an anonymous struct (RecordInfo::Groups): its members move inside of it
//  and
//    it moves as a whole among its siblings, by the same rules as a field. A
//    immovable field or barrier inside of it fixes it, as it speaks of a place
//    in the record. One whose fields are joined is one move unit;
//  - fields that the source makes in one piece (RuleKind::Join): one move unit;
//  - a member of no size (group marker, padding marker): a immovable field. It
//  stays,
//    and no field crosses it;
//  - a flexible array: stays last;
//  - a pinned field, and one that the source demands
//  (RuleKind::ImmovableField): a
//    immovable field; RuleKind::Barrier: nothing crosses the place before the
//    field;
//  - a field with an explicit alignment of ImmovableFieldAlignBytes or more: an
//  anchor.
//    It starts its line in every order (its alignment travels with it), does
//    not move itself, and anchors keep their order; others may pass it. With
//    AlignedRule::ImmovableField it is a immovable field;
//  - __randomize_layout, a union, RuleKind::AllFixed: nothing moves.

#pragma once

#include "hybrid/core/Layout.h"
#include "hybrid/core/Record.h"
#include "hybrid/core/SourceRule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kst {

/// A field that must stay, and why, in words for the report.
struct Pin {
  uint32_t Field = 0; ///< index into RecordInfo::Fields
  std::string Why;
};

enum class AlignedRule {
  Anchor,        ///< others may move to the other side of an aligned field
  ImmovableField ///< nothing crosses an aligned field
};

struct ConstraintOptions {
  std::vector<Pin> Pins;
  std::vector<SourceRule> Rules; ///< fields >= the record's are ignored
  /// Rules that the user does not want obeyed; they only get notes.
  std::vector<SourceRule> LiftedRules;
  /// Indices into Constraints::notes() of rules that are to be ignored, to see
  /// what they cost. The notes and their numbers do not depend on it.
  std::vector<uint32_t> Lifted;
  AlignedRule Aligned = AlignedRule::Anchor;
  /// Smaller explicit alignments say where a field may start, not which line.
  uint32_t ImmovableFieldAlignBytes = 32;
};

/// Fields that move together, in declaration order.
struct MoveUnit {
  std::vector<uint32_t> Fields;
  /// That taking it up costs.
  uint32_t moves() const { return static_cast<uint32_t>(Fields.size()); }
  /// Innermost group that it is a member of.
  uint32_t Group = NoGroup;
  /// MoveUnits of one segment are siblings, adjacent in the declared order, and
  /// may trade places. Where a group may move among its siblings, those before
  /// and behind it are two segments, but may cross it.
  uint32_t Segment = 0;
  /// MoveUnits of one zone are adjacent in every order. A segment lies in one
  /// zone, and is one unless a group may move or be crossed.
  uint32_t Zone = 0;
  /// False for immovable fields and anchors.
  bool Movable = true;
  /// Keeps its order among the anchors of its segment.
  bool Anchor = false;
};

/// An anonymous struct as something that moves.
struct MoveUnitGroup {
  uint32_t Parent = NoGroup;
  uint32_t Begin = 0,
           End = 0;     ///< move units; none where the group is one move unit
  bool Movable = false; ///< has siblings to trade places with
  bool Anchor = false;
};

class Constraints {
public:
  explicit Constraints(const RecordInfo &Record,
                       const ConstraintOptions &Options = {});

  /// In declaration order. Indices into this are "move units" below.
  const std::vector<MoveUnit> &bricks() const { return MoveUnits; }
  const std::vector<ConstraintNote> &notes() const { return Notes; }
  /// Nothing may move at all; notes() says why.
  bool allFixed() const { return AllFixed; }
  uint32_t moveUnitOf(uint32_t Field) const { return FieldMoveUnit[Field]; }
  /// As RecordInfo::Groups.
  const std::vector<MoveUnitGroup> &groups() const { return Groups; }
  /// Some group may move or be crossed: segments are not always where they are
  /// in the declared order.
  bool floats() const { return Floats; }
  /// The move unit, or a group around it, may move.
  bool mayMove(uint32_t MoveUnit) const;

  /// First and one-past-last position of the move unit's segment in the
  /// declared order: in all legal ones, if nothing floats().
  uint32_t segmentBegin(uint32_t MoveUnit) const;
  uint32_t segmentEnd(uint32_t MoveUnit) const;
  /// The same of its zone, in every legal order.
  uint32_t zoneBegin(uint32_t MoveUnit) const {
    return ZoneStart[MoveUnits[MoveUnit].Zone];
  }
  uint32_t zoneEnd(uint32_t MoveUnit) const {
    return ZoneStart[MoveUnits[MoveUnit].Zone + 1];
  }

  /// True if `MoveUnitOrder` is a permutation of the move units that breaks no
  /// rule.
  bool legal(std::span<const uint32_t> MoveUnitOrder) const;

  /// A legal order that has siblings in the order of `Guide`, a permutation of
  /// the move units, as far as the rules allow: a group where its first move
  /// unit is.
  std::vector<uint32_t> mended(std::span<const uint32_t> Guide) const;

  /// The order of fields that an order of move units stands for.
  std::vector<uint32_t> fields(std::span<const uint32_t> MoveUnitOrder) const;
  void fields(std::span<const uint32_t> MoveUnitOrder,
              std::vector<uint32_t> &Order) const;

private:
  bool note(ConstraintNote Said, const ConstraintOptions &Options);
  void noteLifted(const RecordInfo &Record, const ConstraintOptions &Options);
  void group(const RecordInfo &Record, const ConstraintOptions &Options);
  void fence(const RecordInfo &Record, const ConstraintOptions &Options);
  bool isImmovableField(const RecordInfo &Record,
                        const ConstraintOptions &Options, uint32_t Field);
  bool isAnchor(const RecordInfo &Record, const ConstraintOptions &Options,
                uint32_t Field);

  /// A move unit or a group among its siblings.
  struct Sibling {
    uint32_t Begin, End;      ///< move units
    uint32_t Group = NoGroup; ///< NoGroup: a move unit
    uint32_t Stretch = 0;     ///< siblings of one may trade places
    bool Anchor = false;
  };
  void nest(const RecordInfo &Record);
  void settleGroups(const RecordInfo &Record, const ConstraintOptions &Options,
                    std::vector<bool> &Cut);
  bool nestedLegal(std::span<const uint32_t> MoveUnitOrder, size_t Level,
                   size_t &At) const;
  void mend(size_t Level, const std::vector<size_t> &Position,
            std::vector<uint32_t> &Order) const;
  std::vector<Sibling> &membersOf(uint32_t Group) {
    return Members[Group == NoGroup ? Groups.size() : Group];
  }

  std::vector<MoveUnit> MoveUnits;
  std::vector<MoveUnitGroup> Groups;
  std::vector<std::vector<Sibling>> Members; ///< by group; last: the record's
  bool Floats = false;
  std::vector<uint32_t> ZoneStart; ///< per zone, plus the end
  std::vector<ConstraintNote> Notes;
  std::vector<uint32_t> FieldMoveUnit;
  std::vector<uint32_t> SegmentStart; ///< per segment, plus the end
  bool AllFixed = false;
};

} // namespace kst
