// SPDX-License-Identifier: GPL-2.0-or-later
//
// What may move, and how far, as far as the definition itself (and the caller's
// pins) shows. Fields that must stay together form one brick; bricks that must
// not be crossed cut the record into segments.
//
//  - adjacent bit-fields: one brick (splitting a run changes its packing);
//  - an anonymous union: one field, hence one brick;
//  - an anonymous struct (RecordInfo::Groups): its members move inside of it
//  and
//    it moves as a whole among its siblings, by the same rules as a field. A
//    fence or barrier inside of it fixes it, as it speaks of a place in the
//    record. One whose fields are joined is one brick;
//  - fields that the source makes in one piece (RuleKind::Join): one brick;
//  - a member of no size (group marker, padding marker): a fence. It stays,
//    and no field crosses it;
//  - a flexible array: stays last;
//  - a pinned field, and one that the source demands (RuleKind::Fence): a
//    fence; RuleKind::Barrier: nothing crosses the place before the field;
//  - a field with an explicit alignment of FenceAlignBytes or more: an anchor.
//    It starts its line in every order (its alignment travels with it), does
//    not move itself, and anchors keep their order; others may pass it. With
//    AlignedRule::Fence it is a fence;
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
  Anchor, ///< others may move to the other side of an aligned field
  Fence   ///< nothing crosses an aligned field
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
  uint32_t FenceAlignBytes = 32;
};

/// Fields that move together, in declaration order.
struct Brick {
  std::vector<uint32_t> Fields;
  /// That taking it up costs.
  uint32_t moves() const { return static_cast<uint32_t>(Fields.size()); }
  /// Innermost group that it is a member of.
  uint32_t Group = NoGroup;
  /// Bricks of one segment are siblings, adjacent in the declared order, and
  /// may trade places. Where a group may move among its siblings, those before
  /// and behind it are two segments, but may cross it.
  uint32_t Segment = 0;
  /// Bricks of one zone are adjacent in every order. A segment lies in one
  /// zone, and is one unless a group may move or be crossed.
  uint32_t Zone = 0;
  /// False for fences and anchors.
  bool Movable = true;
  /// Keeps its order among the anchors of its segment.
  bool Anchor = false;
};

/// An anonymous struct as something that moves.
struct BrickGroup {
  uint32_t Parent = NoGroup;
  uint32_t Begin = 0, End = 0; ///< bricks; none where the group is one brick
  bool Movable = false;        ///< has siblings to trade places with
  bool Anchor = false;
};

class Constraints {
public:
  explicit Constraints(const RecordInfo &Record,
                       const ConstraintOptions &Options = {});

  /// In declaration order. Indices into this are "bricks" below.
  const std::vector<Brick> &bricks() const { return Bricks; }
  const std::vector<ConstraintNote> &notes() const { return Notes; }
  /// Nothing may move at all; notes() says why.
  bool allFixed() const { return AllFixed; }
  uint32_t brickOf(uint32_t Field) const { return FieldBrick[Field]; }
  /// As RecordInfo::Groups.
  const std::vector<BrickGroup> &groups() const { return Groups; }
  /// Some group may move or be crossed: segments are not always where they are
  /// in the declared order.
  bool floats() const { return Floats; }
  /// The brick, or a group around it, may move.
  bool mayMove(uint32_t Brick) const;

  /// First and one-past-last position of the brick's segment in the declared
  /// order: in all legal ones, if nothing floats().
  uint32_t segmentBegin(uint32_t Brick) const;
  uint32_t segmentEnd(uint32_t Brick) const;
  /// The same of its zone, in every legal order.
  uint32_t zoneBegin(uint32_t Brick) const {
    return ZoneStart[Bricks[Brick].Zone];
  }
  uint32_t zoneEnd(uint32_t Brick) const {
    return ZoneStart[Bricks[Brick].Zone + 1];
  }

  /// True if `BrickOrder` is a permutation of the bricks that breaks no rule.
  bool legal(std::span<const uint32_t> BrickOrder) const;

  /// A legal order that has siblings in the order of `Guide`, a permutation of
  /// the bricks, as far as the rules allow: a group where its first brick is.
  std::vector<uint32_t> mended(std::span<const uint32_t> Guide) const;

  /// The order of fields that an order of bricks stands for.
  std::vector<uint32_t> fields(std::span<const uint32_t> BrickOrder) const;
  void fields(std::span<const uint32_t> BrickOrder,
              std::vector<uint32_t> &Order) const;

private:
  bool note(ConstraintNote Said, const ConstraintOptions &Options);
  void noteLifted(const RecordInfo &Record, const ConstraintOptions &Options);
  void group(const RecordInfo &Record, const ConstraintOptions &Options);
  void fence(const RecordInfo &Record, const ConstraintOptions &Options);
  bool isFence(const RecordInfo &Record, const ConstraintOptions &Options,
               uint32_t Field);
  bool isAnchor(const RecordInfo &Record, const ConstraintOptions &Options,
                uint32_t Field);

  /// A brick or a group among its siblings.
  struct Sibling {
    uint32_t Begin, End;      ///< bricks
    uint32_t Group = NoGroup; ///< NoGroup: a brick
    uint32_t Stretch = 0;     ///< siblings of one may trade places
    bool Anchor = false;
  };
  void nest(const RecordInfo &Record);
  void settleGroups(const RecordInfo &Record, const ConstraintOptions &Options,
                    std::vector<bool> &Cut);
  bool nestedLegal(std::span<const uint32_t> BrickOrder, size_t Level,
                   size_t &At) const;
  void mend(size_t Level, const std::vector<size_t> &Position,
            std::vector<uint32_t> &Order) const;
  std::vector<Sibling> &membersOf(uint32_t Group) {
    return Members[Group == NoGroup ? Groups.size() : Group];
  }

  std::vector<Brick> Bricks;
  std::vector<BrickGroup> Groups;
  std::vector<std::vector<Sibling>> Members; ///< by group; last: the record's
  bool Floats = false;
  std::vector<uint32_t> ZoneStart; ///< per zone, plus the end
  std::vector<ConstraintNote> Notes;
  std::vector<uint32_t> FieldBrick;
  std::vector<uint32_t> SegmentStart; ///< per segment, plus the end
  bool AllFixed = false;
};

} // namespace kst
