// SPDX-License-Identifier: GPL-2.0-or-later
//
// See Baselines.h for what each method is.

#include "hybrid/layout/Baselines.h"

#include "hybrid/layout/Arrangement.h"
#include "hybrid/layout/MoveUnitGraph.h"

#include <algorithm>
#include <deque>
#include <numeric>

namespace kst {

namespace {

using Group = std::vector<uint32_t>;

Group bySize(const SearchSpace &Space) {
  Group All = Space.declared();
  std::ranges::stable_sort(All, [&](uint32_t A, uint32_t B) {
    const MoveUnitShape &X = Space.shape(A), &Y = Space.shape(B);
    if (X.AlignBytes != Y.AlignBytes)
      return X.AlignBytes > Y.AlignBytes;
    return X.SizeBytes > Y.SizeBytes;
  });
  return All;
}

/// Runs of move units, heaviest first.
std::vector<Group> frontBack(const MoveUnitGraph &Graph, uint32_t MoveUnits) {
  std::vector<Group> Runs;
  std::vector<bool> Placed(
      MoveUnits, true); // immovable fields and cold move units are no part
  for (uint32_t U : Graph.active())
    Placed[U] = false;
  for (const MoveUnitGraph::Edge &Start : Graph.byGain()) {
    if (Placed[Start.A] || Placed[Start.B])
      continue;
    std::deque<uint32_t> Run{Start.A, Start.B};
    Placed[Start.A] = Placed[Start.B] = true;
    for (;;) {
      double Heaviest = 0;
      uint32_t Next = 0;
      bool Front = false;
      for (uint32_t U : Graph.active()) {
        if (Placed[U])
          continue;
        for (bool AtFront : {true, false})
          if (double Gain = Graph.gain(AtFront ? Run.front() : Run.back(), U);
              Gain > Heaviest) {
            Heaviest = Gain;
            Next = U;
            Front = AtFront;
          }
      }
      if (Heaviest <= 0)
        break;
      Placed[Next] = true;
      if (Front)
        Run.push_front(Next);
      else
        Run.push_back(Next);
    }
    Runs.emplace_back(Run.begin(), Run.end());
  }
  // MoveUnits that nothing ties to a run: hottest first.
  Group Rest;
  for (uint32_t U : Graph.active())
    if (!Placed[U])
      Rest.push_back(U);
  Runs.push_back(std::move(Rest));
  return Runs;
}

std::vector<Group> gainLossClusters(const MoveUnitGraph &Graph,
                                    const SearchSpace &Space) {
  const double Share = Space.model().lostCycles() / Space.model().lineCycles();
  const uint64_t Line = Space.model().options().LineBytes;
  std::vector<Group> Clusters;
  std::vector<bool> Placed(Space.brickCount());
  for (uint32_t Hottest : Graph.active()) {
    if (Placed[Hottest])
      continue;
    Group Cluster{Hottest};
    Placed[Hottest] = true;
    uint64_t Bytes = Space.shape(Hottest).SizeBytes;
    for (;;) {
      double Best = 0;
      uint32_t Next = 0;
      for (uint32_t U : Graph.active()) {
        if (Placed[U] || Bytes + Space.shape(U).SizeBytes > Line)
          continue;
        double Sum = 0;
        for (uint32_t V : Cluster)
          Sum += Graph.gain(U, V) - Share * Graph.loss(U, V);
        if (Sum > Best) {
          Best = Sum;
          Next = U;
        }
      }
      if (Best <= 0)
        break;
      Placed[Next] = true;
      Cluster.push_back(Next);
      Bytes += Space.shape(Next).SizeBytes;
    }
    Clusters.push_back(std::move(Cluster));
  }
  return Clusters;
}

/// Merges `From` into `Into` so that A (in Into) and B (in From) come as close
/// as turning either allows.
void joinEnds(Group &Into, Group &From, uint32_t A, uint32_t B) {
  auto Place = [](const Group &G, uint32_t U) {
    return std::ranges::find(G, U) - G.begin();
  };
  if (2 * Place(Into, A) + 1 < static_cast<std::ptrdiff_t>(Into.size()))
    std::ranges::reverse(Into);
  if (2 * Place(From, B) + 1 > static_cast<std::ptrdiff_t>(From.size()))
    std::ranges::reverse(From);
  Into.insert(Into.end(), From.begin(), From.end());
  From.clear();
}

std::vector<Group> singleLinkage(const MoveUnitGraph &Graph,
                                 const SearchSpace &Space) {
  std::vector<Group> Trees(Space.brickCount());
  std::vector<uint32_t> TreeOf(Space.brickCount());
  std::iota(TreeOf.begin(), TreeOf.end(), 0u);
  for (uint32_t U : Graph.active())
    Trees[U] = {U};
  // Edges in falling order are the merges of single linkage (Kruskal).
  for (const MoveUnitGraph::Edge &E : Graph.byGain()) {
    uint32_t Into = TreeOf[E.A], From = TreeOf[E.B];
    if (Into == From || Trees[Into].empty() || Trees[From].empty())
      continue;
    for (uint32_t U : Trees[From])
      TreeOf[U] = Into;
    joinEnds(Trees[Into], Trees[From], E.A, E.B);
  }
  auto Heat = [&](const Group &Tree) {
    double Sum = 0;
    for (uint32_t U : Tree)
      Sum += Space.shape(U).Heat;
    return Sum;
  };
  std::erase_if(Trees, [](const Group &Tree) { return Tree.empty(); });
  std::ranges::stable_sort(
      Trees, [&](const Group &A, const Group &B) { return Heat(A) > Heat(B); });
  return Trees;
}

} // namespace

std::vector<Baseline> baselines(const SearchSpace &Space,
                                const AffinityGraph &Graph) {
  const MoveUnitGraph MoveUnits(Space, Graph);
  return {
      {"current order", Space.declared()},
      {"by hotness", arranged(Space, {MoveUnits.active()})},
      {"by size", arranged(Space, {bySize(Space)})},
      {"front/back", arranged(Space, frontBack(MoveUnits, Space.brickCount()))},
      {"gain-loss",
       arranged(Space, gainLossClusters(MoveUnits, Space), Filling::Lines)},
      {"single linkage", arranged(Space, singleLinkage(MoveUnits, Space))},
  };
}

} // namespace kst
