// SPDX-License-Identifier: GPL-2.0-or-later
//
// Groups of fields by the Leiden algorithm. With node weights F / (W + W0),
// edge weights divided by W + W0 too, and resolution 1, igraph maximises the
// sum over the pairs inside groups of edge weight - chance: the null model of
// AffinityGraph.h. Weights are rounded to binary fractions (nodes 2^-16, edges
// 2^-32) so that all its sums are exact: with rounding errors it moves a node
// to and fro between equally good groups for ever.

#include "hybrid/affinity/AffinityGraph.h"

#include "hybrid/affinity/IgraphSession.h"

#include <algorithm>
#include <cmath>

namespace kst {

namespace {

struct IgraphVector {
  explicit IgraphVector(const std::vector<double> &Values) {
    igraph_vector_init_array(&V, Values.data(),
                             static_cast<igraph_integer_t>(Values.size()));
  }
  ~IgraphVector() { igraph_vector_destroy(&V); }
  igraph_vector_t V;
};

struct IgraphInts {
  explicit IgraphInts(const std::vector<igraph_integer_t> &Values) {
    igraph_vector_int_init_array(&V, Values.data(),
                                 static_cast<igraph_integer_t>(Values.size()));
  }
  ~IgraphInts() { igraph_vector_int_destroy(&V); }
  igraph_vector_int_t V;
};

} // namespace

/// The nearest multiple of 2^-Bits, for a positive value at least 2^-Bits.
static double rounded(double Value, int Bits) {
  double Units = std::round(std::ldexp(Value, Bits));
  return std::ldexp(Value > 0 ? std::max(1.0, Units) : Units, -Bits);
}

/// Group number of each node, or nothing if the library refused.
static std::vector<igraph_integer_t>
leiden(size_t Nodes, const std::vector<igraph_integer_t> &Ends,
       const std::vector<double> &EdgeWeights,
       const std::vector<double> &NodeWeights, uint64_t Seed) {
  std::vector<igraph_integer_t> Groups;
  IgraphSession Session(Seed);
  IgraphInts EndVector(Ends), Membership({});
  IgraphVector Edge(EdgeWeights), Node(NodeWeights);
  igraph_t Graph;
  if (igraph_create(&Graph, &EndVector.V, static_cast<igraph_integer_t>(Nodes),
                    IGRAPH_UNDIRECTED) != IGRAPH_SUCCESS)
    return Groups;
  igraph_integer_t Count = 0;
  if (igraph_community_leiden(&Graph, &Edge.V, &Node.V, /*resolution=*/1,
                              /*beta=*/0.01, /*start=*/false,
                              /*n_iterations=*/10, &Membership.V, &Count,
                              /*quality=*/nullptr) == IGRAPH_SUCCESS)
    for (size_t I = 0; I < Nodes; ++I)
      Groups.push_back(VECTOR(Membership.V)[I]);
  igraph_destroy(&Graph);
  return Groups;
}

std::vector<std::vector<uint32_t>> AffinityGraph::communities() const {
  const size_t N = Frequency.size();
  std::vector<uint32_t> Hot;
  for (uint32_t F = 0; F < N; ++F)
    if (Frequency[F] > 0)
      Hot.push_back(F);
  std::ranges::stable_sort(
      Hot, [&](uint32_t A, uint32_t B) { return Frequency[A] > Frequency[B]; });
  if (Hot.empty())
    return {};

  std::vector<igraph_integer_t> Ends;
  std::vector<double> EdgeWeights, NodeWeights;
  for (size_t I = 0; I < Hot.size(); ++I) {
    NodeWeights.push_back(rounded(Frequency[Hot[I]] / NullVisits, 16));
    for (size_t J = I + 1; J < Hot.size(); ++J) {
      double Weight = rounded(
          (Together[Hot[I] * N + Hot[J]] - Clashes.between(Hot[I], Hot[J])) /
              NullVisits,
          32);
      if (Weight <= 0)
        continue;
      Ends.push_back(static_cast<igraph_integer_t>(I));
      Ends.push_back(static_cast<igraph_integer_t>(J));
      EdgeWeights.push_back(Weight);
    }
  }
  std::vector<igraph_integer_t> Member;
  if (!EdgeWeights.empty())
    Member = leiden(Hot.size(), Ends, EdgeWeights, NodeWeights, Opts.Seed);
  if (Member.empty()) { // nothing is together: every field by itself
    Member.resize(Hot.size());
    for (size_t I = 0; I < Hot.size(); ++I)
      Member[I] = static_cast<igraph_integer_t>(I);
  }

  // Hot is hottest first, so groups come out with their hottest field first
  // and, numbered by first appearance, ordered by it; then by total heat.
  std::vector<std::vector<uint32_t>> Groups(Hot.size());
  for (size_t I = 0; I < Hot.size(); ++I)
    Groups[static_cast<size_t>(Member[I])].push_back(Hot[I]);
  std::erase_if(Groups, [](const auto &G) { return G.empty(); });
  auto Heat = [&](const std::vector<uint32_t> &Group) {
    double Sum = 0;
    for (uint32_t F : Group)
      Sum += Frequency[F];
    return Sum;
  };
  std::ranges::sort(Groups, [&](const auto &A, const auto &B) {
    double HeatA = Heat(A), HeatB = Heat(B);
    return HeatA != HeatB ? HeatA > HeatB : A.front() < B.front();
  });
  return Groups;
}

} // namespace kst
