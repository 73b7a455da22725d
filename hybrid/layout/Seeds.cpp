// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Seeds.h. Two steps: choose what shares a line (LinePacker), then write
// the lines down as an order, segment by segment (OrderWriter).

#include "hybrid/layout/Seeds.h"

#include <algorithm>
#include <map>

namespace kst {

namespace {

using Group = std::vector<uint32_t>; ///< move units for one line

/// Fills lines greedily from a pool of move units.
class LinePacker {
public:
  LinePacker(const SearchSpace &Space, bool PerByte)
      : Space(Space), Model(Space.model()), PerByte(PerByte),
        Lines(Model.setCount()) {}

  /// Takes move units for one line from Pool (hottest first); Line may already
  /// hold the move unit that must come first.
  void fill(Group &Line, std::vector<uint32_t> &Pool) {
    uint64_t Used = 0;
    bool Closed = false;
    if (Line.empty()) {
      Line.push_back(Pool.front());
      Pool.erase(Pool.begin());
    }
    for (uint32_t U : Line)
      Closed |= join(U, Used);
    while (!Closed) {
      size_t Best = Pool.size();
      double BestGain = 0;
      for (size_t I = 0; I < Pool.size(); ++I) {
        uint64_t Bytes = bytesOnLine(Pool[I]);
        if (Used + Bytes > Model.options().LineBytes)
          continue;
        double Gain = gain(Pool[I]);
        if (PerByte)
          Gain /= static_cast<double>(std::max<uint64_t>(1, Bytes));
        if (Gain > BestGain) {
          BestGain = Gain;
          Best = I;
        }
      }
      if (Best == Pool.size())
        break;
      Line.push_back(Pool[Best]);
      Closed = join(Pool[Best], Used);
      Pool.erase(Pool.begin() + static_cast<std::ptrdiff_t>(Best));
    }
    for (uint32_t S : Touched)
      Lines[S] = {};
    Touched.clear();
    Use = {};
  }

private:
  /// A move unit larger than a line ends it: only its start counts.
  bool tooLarge(uint32_t U) const {
    return Space.shape(U).SizeBytes > Model.options().LineBytes;
  }
  uint64_t bytesOnLine(uint32_t U) const {
    const MoveUnitShape &Shape = Space.shape(U);
    return tooLarge(U) ? Shape.AlignBytes : Shape.SizeBytes;
  }

  /// Calls Take(set, chance of a touch, of a write) for each field of the
  /// move unit.
  template <typename F> void forEachTouch(uint32_t U, F &&Take) const {
    for (uint32_t Mine : Space.rules().bricks()[U].Fields)
      for (uint32_t S : Model.setsOf(Mine))
        for (auto [Field, P, W] : Model.fieldTouches(S))
          if (Field == Mine)
            Take(S, P, W);
  }

  bool join(uint32_t U, uint64_t &Used) {
    Used += bytesOnLine(U);
    forEachTouch(U, [&](uint32_t S, double P, double W) {
      auto &[Untouched, Unwritten] = Lines[S];
      Use.add(Model.meeting(S), P * Untouched, W * Unwritten);
      Untouched *= 1 - P;
      Unwritten *= 1 - W;
      Touched.push_back(S);
    });
    return tooLarge(U);
  }

  /// What U costs less on this line than on one of its own: visits that find
  /// the line touched anyway, and less what the two lose by sharing a line.
  double gain(uint32_t U) const {
    double Sum = 0;
    LineUse Alone, Joint = Use;
    forEachTouch(U, [&](uint32_t S, double P, double W) {
      auto [Untouched, Unwritten] = Lines[S];
      Sum += Model.weight(S) * P * (1 - Untouched);
      Alone.add(Model.meeting(S), P, W);
      Joint.add(Model.meeting(S), P * Untouched, W * Unwritten);
    });
    return Sum + Model.sharing(Use) + Model.sharing(Alone) -
           Model.sharing(Joint);
  }

  struct Chance {
    double Untouched = 1, Unwritten = 1;
  };
  const SearchSpace &Space;
  const LayoutCost &Model;
  bool PerByte;
  std::vector<Chance> Lines; ///< per set, of the line that is being filled
  LineUse Use;               ///< of that line
  std::vector<uint32_t> Touched;
};

/// Writes groups down as a legal order of move units.
class OrderWriter {
public:
  OrderWriter(const SearchSpace &Space, bool FillLines)
      : Space(Space), Rules(Space.rules()), FillLines(FillLines),
        Placed(Space.brickCount()) {}

  /// Groups hold each active movable move unit once; a group that starts with
  /// an anchor is written where the anchor stands.
  MoveUnitOrder write(const std::vector<Group> &Groups) {
    for (uint32_t Begin = 0; Begin < Space.brickCount();) {
      uint32_t End = Rules.segmentEnd(Begin);
      segment(Begin, End, Groups);
      Begin = End;
    }
    return Order;
  }

private:
  void segment(uint32_t Begin, uint32_t End, const std::vector<Group> &Groups) {
    // Anchors cut the segment into stretches; a stretch starts with its anchor.
    for (uint32_t Start = Begin; Start < End;) {
      uint32_t Stop = Start + 1;
      while (Stop < End && !Rules.bricks()[Stop].Anchor)
        ++Stop;
      for (const Group &G : Groups) {
        if (Rules.bricks()[G.front()].Anchor && G.front() == Start)
          line(G, Start, Stop);
      }
      if (Rules.bricks()[Start].Anchor && !Placed[Start])
        put(Start);
      for (const Group &G : Groups)
        if (!Rules.bricks()[G.front()].Anchor && G.front() >= Start &&
            G.front() < Stop)
          line(G, Start, Stop);
      // What is left of the stretch, in its own order.
      for (uint32_t U = Start; U < Stop; ++U)
        if (!Placed[U] && !Space.shape(U).Active)
          put(U);
      Start = Stop;
    }
    for (uint32_t U = Begin; U < End; ++U)
      if (!Placed[U])
        put(U);
  }

  /// A group, widest alignment first (an anchor before all, an oversized move
  /// unit after all), then cold move units of the stretch up to the end of the
  /// line.
  void line(Group G, uint32_t Start, uint32_t Stop) {
    const uint64_t LineBytes = Space.model().options().LineBytes;
    auto Rank = [&](uint32_t U) -> uint64_t {
      if (Rules.bricks()[U].Anchor)
        return ~0ull;
      return Space.shape(U).SizeBytes > LineBytes ? 0
                                                  : Space.shape(U).AlignBytes;
    };
    std::ranges::stable_sort(
        G, [&](uint32_t A, uint32_t B) { return Rank(A) > Rank(B); });
    for (uint32_t U : G)
      put(U);
    for (uint32_t U = Start; U < Stop && FillLines; ++U) {
      uint64_t Left = (LineBytes - EndBytes % LineBytes) % LineBytes;
      const MoveUnitShape &Shape = Space.shape(U);
      if (Placed[U] || Shape.Active || !Rules.bricks()[U].Movable)
        continue;
      uint64_t Gap =
          (Shape.AlignBytes - EndBytes % Shape.AlignBytes) % Shape.AlignBytes;
      if (Gap + Shape.SizeBytes <= Left)
        put(U);
    }
  }

  void put(uint32_t U) {
    if (Placed[U])
      return;
    Placed[U] = true;
    Order.push_back(U);
    const MoveUnitShape &Shape = Space.shape(U);
    EndBytes +=
        (Shape.AlignBytes - EndBytes % Shape.AlignBytes) % Shape.AlignBytes;
    EndBytes += Shape.SizeBytes;
  }

  const SearchSpace &Space;
  const Constraints &Rules;
  bool FillLines;
  std::vector<bool> Placed;
  MoveUnitOrder Order;
  uint64_t EndBytes = 0; ///< good enough to fill lines; prices are exact
};

} // namespace

/// Lines for every segment from lists of move units in order of preference.
/// Pools are packed one after the other; FillLines: cold move units fill each
/// line up.
static MoveUnitOrder packed(const SearchSpace &Space, bool PerByte,
                            bool FillLines,
                            const std::vector<std::vector<uint32_t>> &Pools) {
  const Constraints &Rules = Space.rules();
  LinePacker Packer(Space, PerByte);
  std::vector<Group> Groups;
  std::vector<bool> Taken(Space.brickCount());
  auto Keep = [&](Group Line) {
    for (uint32_t U : Line)
      Taken[U] = true;
    Groups.push_back(std::move(Line));
  };
  for (uint32_t Begin = 0; Begin < Space.brickCount();
       Begin = Rules.segmentEnd(Begin)) {
    uint32_t End = Rules.segmentEnd(Begin);
    auto InSegment = [&](uint32_t U) {
      return U >= Begin && U < End && !Taken[U];
    };
    for (uint32_t U = Begin; U < End; ++U) {
      if (!Rules.bricks()[U].Anchor || !Space.shape(U).Active)
        continue;
      std::vector<uint32_t> Pool;
      for (uint32_t V : Space.activeUnits())
        if (InSegment(V))
          Pool.push_back(V);
      Group Line{U};
      Packer.fill(Line, Pool);
      Keep(std::move(Line));
    }
    for (const auto &Members : Pools) {
      std::vector<uint32_t> Pool;
      for (uint32_t V : Members)
        if (InSegment(V))
          Pool.push_back(V);
      while (!Pool.empty()) {
        Group Line;
        Packer.fill(Line, Pool);
        Keep(std::move(Line));
      }
    }
  }
  return OrderWriter(Space, FillLines).write(Groups);
}

/// The graph's groups of fields as groups of movable active move units.
static std::vector<std::vector<uint32_t>>
clusterPools(const SearchSpace &Space, const AffinityGraph &Graph) {
  std::vector<std::vector<uint32_t>> Pools;
  std::vector<bool> Seen(Space.brickCount());
  for (const auto &Fields : Graph.communities()) {
    Pools.emplace_back();
    for (uint32_t F : Fields) {
      uint32_t U = Space.rules().moveUnitOf(F);
      if (Seen[U] || !Space.rules().bricks()[U].Movable ||
          !Space.shape(U).Active)
        continue;
      Seen[U] = true;
      Pools.back().push_back(U);
    }
  }
  return Pools;
}

/// The lines of the program as an order. A line whose move units are mostly
/// taken already is left to the packer.
static MoveUnitOrder fromProgram(
    const SearchSpace &Space,
    const std::vector<std::pair<std::vector<uint32_t>, double>> &Lines) {
  const Constraints &Rules = Space.rules();
  const uint64_t LineBytes = Space.model().options().LineBytes;
  LinePacker Packer(Space, false);
  std::vector<Group> Groups;
  std::vector<bool> Taken(Space.brickCount());
  for (const auto &[Fields, Share] : Lines) {
    // MoveUnits of one segment make one group; an anchor leads it.
    std::map<uint32_t, Group> BySegment;
    size_t Gone = 0;
    for (uint32_t F : Fields) {
      uint32_t U = Rules.moveUnitOf(F);
      const MoveUnit &Info = Rules.bricks()[U];
      Gone += Taken[U];
      if (Taken[U] || !Space.shape(U).Active || !(Info.Movable || Info.Anchor))
        continue;
      Group &G = BySegment[Info.Segment];
      if (std::ranges::find(G, U) == G.end())
        G.insert(Info.Anchor ? G.begin() : G.end(), U);
    }
    if (2 * Gone > Fields.size())
      continue;
    for (auto &[Segment, G] : BySegment) {
      uint64_t Used = 0;
      Group Line;
      for (uint32_t U : G) {
        uint64_t Bytes = std::min(Space.shape(U).SizeBytes, LineBytes);
        if (!Line.empty() &&
            (Used + Bytes > LineBytes || Rules.bricks()[U].Anchor))
          continue;
        Used += Bytes;
        Line.push_back(U);
        Taken[U] = true;
      }
      Groups.push_back(std::move(Line));
    }
  }
  for (uint32_t Begin = 0; Begin < Space.brickCount();
       Begin = Rules.segmentEnd(Begin)) {
    Group Pool;
    for (uint32_t U : Space.activeUnits())
      if (!Taken[U] && U >= Begin && U < Rules.segmentEnd(Begin))
        Pool.push_back(U);
    while (!Pool.empty()) {
      Group Line;
      Packer.fill(Line, Pool);
      Groups.push_back(std::move(Line));
    }
  }
  return OrderWriter(Space, true).write(Groups);
}

std::vector<Seed>
seeds(const SearchSpace &Space, const AffinityGraph &Graph,
      const std::vector<std::pair<std::vector<uint32_t>, double>> &Lines) {
  std::vector<Seed> All;
  if (!Lines.empty())
    All.push_back({"program", fromProgram(Space, Lines)});
  for (Seed &S : seeds(Space, Graph))
    All.push_back(std::move(S));
  return All;
}

std::vector<Seed> seeds(const SearchSpace &Space, const AffinityGraph &Graph) {
  std::vector<std::vector<uint32_t>> One{Space.activeUnits()}, Singles;
  for (uint32_t U : Space.activeUnits())
    Singles.push_back({U});
  return {{"declared", Space.declared()},
          {"sets", packed(Space, false, true, One)},
          {"dense", packed(Space, true, true, One)},
          {"clusters", packed(Space, false, true, clusterPools(Space, Graph))},
          {"heat", packed(Space, false, false, Singles)}};
}

} // namespace kst
