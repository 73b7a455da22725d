// SPDX-License-Identifier: GPL-2.0-or-later
//
// Packing::order(): a packing becomes an order again.

#include "hybrid/layout/Packing.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {

namespace {

/// Writes move units one after the other and knows where the last one ends.
class MoveUnitWriter {
public:
  MoveUnitWriter(const SearchSpace &Space)
      : Space(Space), Placed(Space.brickCount()) {}

  void put(uint32_t U) {
    Placed[U] = true;
    Order.push_back(U);
    End = start(U) + Space.shape(U).SizeBytes;
  }
  /// Cold move units of Pool (in order) up to byte Stop: without gaps if
  /// possible; those that fit the last line best first.
  void fill(const std::vector<uint32_t> &Pool, uint64_t Stop) {
    const uint64_t LineBytes = Space.model().options().LineBytes;
    while (End < Stop) {
      uint32_t Best = ~0u;
      for (uint32_t U : Pool) {
        uint64_t Size = Space.shape(U).SizeBytes;
        if (Placed[U] || start(U) + Size > Stop)
          continue;
        if (Best == ~0u || better(U, Best))
          Best = U;
        if (Stop - End >= 2 * LineBytes && start(U) == End)
          break; // far from the end: the first that leaves no gap
      }
      if (Best == ~0u)
        return;
      put(Best);
    }
  }
  bool placed(uint32_t U) const { return Placed[U]; }
  uint64_t end() const { return End; }
  MoveUnitOrder take() { return std::move(Order); }

private:
  uint64_t start(uint32_t U) const {
    uint64_t Align = Space.shape(U).AlignBytes;
    return (End + Align - 1) / Align * Align;
  }
  bool better(uint32_t A, uint32_t B) const {
    if (start(A) != start(B))
      return start(A) < start(B);
    return Space.shape(A).SizeBytes > Space.shape(B).SizeBytes;
  }

  const SearchSpace &Space;
  std::vector<bool> Placed;
  MoveUnitOrder Order;
  uint64_t End = 0; ///< bytes; good enough to fill lines
};

} // namespace

MoveUnitOrder Packing::order() const {
  return Kind == Mode::Repack ? repacked() : exchanged();
}

/// Each item in the place of one of its shape that has left its line.
MoveUnitOrder Packing::exchanged() const {
  const uint64_t LineBytes = Space.model().options().LineBytes;
  using Place = std::tuple<uint32_t, uint64_t, uint64_t, uint32_t>;
  auto At = [&](uint32_t Line, uint32_t U) {
    return Place(Line, Space.shape(U).SizeBytes, Space.shape(U).AlignBytes,
                 Segments[U]);
  };
  std::map<Place, std::vector<uint32_t>> Came;
  std::vector<bool> Left(Space.brickCount());
  for (const Item &I : Items)
    if (I.Line != StartByte[I.MoveUnit] / LineBytes) {
      Came[At(I.Line, I.MoveUnit)].push_back(I.MoveUnit);
      Left[I.MoveUnit] = true;
    }
  MoveUnitOrder Order = Start;
  for (uint32_t &U : Order) {
    if (!Left[U])
      continue;
    auto &All = Came[At(static_cast<uint32_t>(StartByte[U] / LineBytes), U)];
    U = All.back();
    All.pop_back();
  }
  return Order;
}

MoveUnitOrder Packing::repacked() const {
  const uint64_t LineBytes = Space.model().options().LineBytes;
  std::vector<uint32_t> LineOf(Space.brickCount(), ~0u);
  for (const Item &I : Items)
    if (!I.Fixed)
      LineOf[I.MoveUnit] = I.Line;
  MoveUnitWriter Out(Space);
  for (size_t Begin = 0; Begin < Start.size();) {
    size_t Stop = Begin;
    while (Stop < Start.size() &&
           Segments[Start[Stop]] == Segments[Start[Begin]])
      ++Stop;
    // Posts by their old places, items by line, the rest is cold.
    std::vector<std::vector<uint32_t>> Posts(Lines), Groups(Lines);
    std::vector<uint32_t> Cold;
    for (size_t At = Begin; At < Stop; ++At) {
      uint32_t U = Start[At];
      if (post(U))
        Posts[std::min<uint64_t>(StartByte[U] / LineBytes, Lines - 1)]
            .push_back(U);
      else if (LineOf[U] != ~0u)
        Groups[LineOf[U]].push_back(U);
      else
        Cold.push_back(U);
    }
    std::ranges::sort(Cold);

    for (uint32_t Line = 0; Line < Lines; ++Line) {
      auto &Group = Groups[Line];
      if (Group.empty() && Posts[Line].empty())
        continue;
      std::ranges::stable_sort(Group, [&](uint32_t A, uint32_t B) {
        return Space.shape(A).AlignBytes > Space.shape(B).AlignBytes;
      });
      uint64_t Bytes = 0;
      for (uint32_t U : Group)
        Bytes += Space.shape(U).SizeBytes;
      Out.fill(Cold, Line * LineBytes);
      // Later than meant: to the next line if this one has not enough left.
      uint64_t Used = Out.end() % LineBytes;
      if (Posts[Line].empty() && Used && Used + Bytes > LineBytes &&
          Bytes <= LineBytes)
        Out.fill(Cold, (Out.end() / LineBytes + 1) * LineBytes);
      size_t Next = 0;
      for (uint32_t Post : Posts[Line]) {
        while (Next < Group.size() &&
               Out.end() + Space.shape(Group[Next]).SizeBytes <=
                   StartByte[Post])
          Out.put(Group[Next++]);
        Out.fill(Cold, StartByte[Post]);
        Out.put(Post);
      }
      while (Next < Group.size())
        Out.put(Group[Next++]);
    }
    for (uint32_t U : Cold)
      if (!Out.placed(U))
        Out.put(U);
    Begin = Stop;
  }
  return Out.take();
}

} // namespace kst
