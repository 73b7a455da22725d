// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Arrangement.h"

#include <algorithm>

namespace kst {

namespace {

class Arranger {
public:
  Arranger(const SearchSpace &Space, Filling How)
      : Space(Space), Line(Space.model().options().LineBytes), How(How),
        Placed(Space.brickCount()) {}

  /// The segment of the move units Begin..End-1.
  void segment(uint32_t Begin, uint32_t End,
               const std::vector<std::vector<uint32_t>> &Groups) {
    std::vector<bool> Grouped(Space.brickCount());
    std::vector<std::vector<uint32_t>> Here;
    for (const std::vector<uint32_t> &Group : Groups) {
      Here.emplace_back();
      for (uint32_t U : Group)
        if (U >= Begin && U < End && !Grouped[U]) {
          Grouped[U] = true;
          Here.back().push_back(U);
        }
    }
    std::vector<uint32_t> Cold;
    for (uint32_t U = Begin; U < End; ++U)
      if (!Grouped[U])
        Cold.push_back(U);

    size_t First = Order.size();
    for (const std::vector<uint32_t> &Group : Here) {
      if (How == Filling::Lines)
        fillBefore(Group, Cold);
      for (uint32_t U : Group)
        put(U);
    }
    for (uint32_t U : Cold)
      if (!Placed[U])
        put(U);
    sortAnchors(First);
  }

  /// Runs of bit-fields that would meet are parted: the next move unit of the
  /// segment that may stand between comes forward. Where none can, the segment
  /// keeps its declared order, and if that does not help, so does the record.
  MoveUnitOrder take() {
    for (size_t At = 1; At < Order.size(); ++At)
      if (meetsAt(At) && !part(At)) {
        size_t Begin = Space.rules().segmentBegin(Order[At]);
        size_t End = Space.rules().segmentEnd(Order[At]);
        std::sort(Order.begin() + static_cast<std::ptrdiff_t>(Begin),
                  Order.begin() + static_cast<std::ptrdiff_t>(End));
        At = End - 1;
      }
    if (Space.runsThatMeet(Space.rules().fields(Order)))
      return Space.declared();
    return std::move(Order);
  }

private:
  uint64_t after(uint64_t At, uint32_t U) const {
    const MoveUnitShape &Shape = Space.shape(U);
    return (At + Shape.AlignBytes - 1) / Shape.AlignBytes * Shape.AlignBytes +
           Shape.SizeBytes;
  }

  void put(uint32_t U) {
    Order.push_back(U);
    Placed[U] = true;
    Cursor = after(Cursor, U);
  }

  /// Cold move units up to the next line, if the group would reach beyond it.
  void fillBefore(const std::vector<uint32_t> &Group,
                  const std::vector<uint32_t> &Cold) {
    uint64_t Next = (Cursor + Line - 1) / Line * Line, End = Cursor;
    for (uint32_t U : Group)
      End = after(End, U);
    if (Group.empty() || End <= Next)
      return;
    for (uint32_t U : Cold)
      if (!Placed[U] && after(Cursor, U) <= Next)
        put(U);
  }

  void sortAnchors(size_t First) {
    std::vector<size_t> Places;
    std::vector<uint32_t> Anchors;
    for (size_t At = First; At < Order.size(); ++At)
      if (Space.rules().bricks()[Order[At]].Anchor) {
        Places.push_back(At);
        Anchors.push_back(Order[At]);
      }
    std::ranges::sort(Anchors);
    for (size_t I = 0; I < Places.size(); ++I)
      Order[Places[I]] = Anchors[I];
  }

  /// The move unit at At brings two runs together that the ones before it do
  /// not.
  bool meetsAt(size_t At) const {
    std::span<const uint32_t> All(Order);
    const Constraints &Rules = Space.rules();
    return Space.runsThatMeet(Rules.fields(All.first(At + 1))) >
           Space.runsThatMeet(Rules.fields(All.first(At)));
  }

  bool part(size_t At) {
    for (size_t Next = At + 1; Next < Space.rules().segmentEnd(Order[At]);
         ++Next) {
      if (Space.rules().bricks()[Order[Next]].Anchor)
        continue;
      auto First = Order.begin() + static_cast<std::ptrdiff_t>(At);
      auto Last = Order.begin() + static_cast<std::ptrdiff_t>(Next) + 1;
      std::rotate(First, Last - 1, Last);
      if (!meetsAt(At))
        return true;
      std::rotate(First, First + 1, Last);
    }
    return false;
  }

  const SearchSpace &Space;
  const uint64_t Line;
  const Filling How;
  std::vector<bool> Placed;
  MoveUnitOrder Order; ///< position by position: segments keep their places
  uint64_t Cursor = 0; ///< bytes; bit-field runs count as whole bytes
};

} // namespace

MoveUnitOrder arranged(const SearchSpace &Space,
                       const std::vector<std::vector<uint32_t>> &Groups,
                       Filling How) {
  Arranger Writer(Space, How);
  for (uint32_t Begin = 0; Begin < Space.brickCount();) {
    uint32_t End = Space.rules().segmentEnd(Begin);
    Writer.segment(Begin, End, Groups);
    Begin = End;
  }
  return Writer.take();
}

} // namespace kst
