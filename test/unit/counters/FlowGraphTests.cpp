// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counters on few edges against counts of all edges: flow graphs of random
// functions, walked at random from entry to exit, every edge counted by hand.

#include "passes/counters/FlowGraph.h"

#include <gtest/gtest.h>

#include <random>

using namespace kst::counters;

namespace {

using Terms = std::vector<std::vector<FlowGraph::Term>>;

/// Blocks of a made function. Block 0 is the entry; a walk ends in a block
/// without successors, or inside of a block that can be left for good.
struct Made {
  struct Block {
    bool Marked = false;  ///< the first half of the block is counted
    bool Marked2 = false; ///< the second half, behind the call
    bool MayExit = false; ///< the call between the halves may not come back
    std::vector<uint32_t> Next;
  };
  std::vector<Block> Blocks;

  uint32_t marked() const {
    uint32_t N = 0;
    for (const Block &B : Blocks)
      N += B.Marked + B.Marked2;
    return N;
  }
};

Made makeFunction(std::mt19937 &Random) {
  auto Pick = [&](uint32_t N) { return uint32_t(Random() % N); };
  Made F;
  F.Blocks.resize(1 + Pick(12));
  const uint32_t N = F.Blocks.size();
  for (uint32_t I = 0; I != N; ++I) {
    Made::Block &B = F.Blocks[I];
    B.Marked = Pick(3) != 0;
    B.Marked2 = Pick(3) == 0;
    B.MayExit = Pick(5) == 0;
    // Forward to somewhere, so that the exit can be reached; back at times.
    if (I + 1 == N)
      continue;
    B.Next.push_back(I + 1 + Pick(std::min(3u, N - I - 1)));
    for (uint32_t More = Pick(3); More; --More)
      B.Next.push_back(Pick(N));
  }
  return F;
}

struct Solved {
  Terms Sums;
  /// Blocks whose way on is the optional edge behind the marked ones: the
  /// number of the edge goes on from theirs.
  std::vector<uint32_t> Optional;
  uint64_t Cost = 0; ///< of all counters
};

/// The graph as Regions.cpp builds it. Between: with optional edges where a
/// block has one successor.
Solved solve(const Made &F, std::mt19937 Random, bool Between) {
  FlowGraph G;
  Solved Result;
  std::vector<uint64_t> Frequencies;
  std::vector<std::pair<uint32_t, uint32_t>> Ends;
  for (uint32_t I = 0; I != F.Blocks.size(); ++I) {
    const Made::Block &B = F.Blocks[I];
    uint32_t Start = G.addNode(), Node = Start;
    auto Mark = [&](bool Marked) {
      if (!Marked)
        return;
      uint32_t Behind = G.addNode();
      Frequencies.push_back(Random() % 100);
      G.addMarked(Node, Behind, Frequencies.back());
      Node = Behind;
    };
    if (I == 0)
      G.join(FlowGraph::Outside, Start);
    Mark(B.Marked);
    if (B.MayExit)
      G.join(Node, FlowGraph::Outside);
    Mark(B.Marked2);
    if (B.Next.empty())
      G.join(Node, FlowGraph::Outside);
    Ends.push_back({Start, Node});
  }
  for (uint32_t I = 0; I != F.Blocks.size(); ++I)
    for (uint32_t Next : F.Blocks[I].Next) {
      if (!Between || F.Blocks[I].Next.size() != 1) {
        G.join(Ends[I].second, Ends[Next].first);
        continue;
      }
      Frequencies.push_back(Random() % 100);
      G.addOptional(Ends[I].second, Ends[Next].first, Frequencies.back());
      Result.Optional.push_back(I);
    }
  Result.Sums = G.solve();
  for (uint32_t I = 0; I != Result.Sums.size(); ++I)
    if (Result.Sums[I] == std::vector<FlowGraph::Term>{{I, 1}})
      Result.Cost += Frequencies[I];
  return Result;
}

/// How often each marked edge, and then each of the optional ones, runs in so
/// many calls.
std::vector<int64_t> walk(const Made &F, const Solved &S, int Calls,
                          std::mt19937 &Random) {
  std::vector<uint32_t> First; // number of a block's first marked edge
  uint32_t N = 0;
  for (const Made::Block &B : F.Blocks) {
    First.push_back(N);
    N += B.Marked + B.Marked2;
  }
  std::vector<int64_t> Counts(N + S.Optional.size());
  for (int Call = 0; Call != Calls; ++Call)
    for (uint32_t At = 0;;) {
      const Made::Block &B = F.Blocks[At];
      if (B.Marked)
        ++Counts[First[At]];
      if (B.MayExit && Random() % 4 == 0)
        break;
      if (B.Marked2)
        ++Counts[First[At] + B.Marked];
      if (B.Next.empty())
        break;
      for (uint32_t I = 0; I != S.Optional.size(); ++I)
        Counts[N + I] += S.Optional[I] == At;
      At = B.Next[Random() % B.Next.size()];
    }
  return Counts;
}

bool isCounted(const Terms &T, uint32_t Edge) {
  return T[Edge] == std::vector<FlowGraph::Term>{{Edge, 1}};
}

} // namespace

TEST(FlowGraph, RandomFunctions) {
  std::mt19937 Random(1);
  uint32_t Edges = 0, Counters = 0, Cheaper = 0;
  for (int Round = 0; Round != 6000; ++Round) {
    Made F = makeFunction(Random);
    const std::mt19937 Weights = Random;
    Solved S = solve(F, Weights, Round % 2);
    const Terms &T = S.Sums;
    ASSERT_EQ(T.size(), F.marked() + S.Optional.size());
    std::vector<int64_t> Counts = walk(F, S, 20, Random);
    for (uint32_t Edge = 0; Edge != F.marked(); ++Edge) {
      int64_t Sum = 0;
      for (const FlowGraph::Term &Term : T[Edge]) {
        ASSERT_TRUE(isCounted(T, Term.Edge));
        ASSERT_TRUE(Term.Factor == 1 || Term.Factor == -1);
        Sum += Term.Factor * Counts[Term.Edge];
      }
      ASSERT_EQ(Sum, Counts[Edge]) << "round " << Round << " edge " << Edge;
      Counters += isCounted(T, Edge);
    }
    Edges += F.marked();
    if (Round % 2) {
      // The marked edges' frequencies are the same in both.
      uint64_t Without = solve(F, Weights, false).Cost;
      ASSERT_LE(S.Cost, Without);
      Cheaper += S.Cost < Without;
    }
  }
  // It is worth something.
  EXPECT_LT(Counters, Edges * 9 / 10);
  EXPECT_GT(Cheaper, 300u);
}

// A loop in which two regions run equally often but for the exit between them:
// a counter on the exit saves one of theirs.
TEST(FlowGraph, ExitOfLoop) {
  FlowGraph G;
  uint32_t Header = G.addNode(), Middle = G.addNode(), Body = G.addNode(),
           Latch = G.addNode();
  G.join(FlowGraph::Outside, Header);
  uint32_t First = G.addMarked(Header, Middle, 100);
  uint32_t Second = G.addMarked(Body, Latch, 99);
  G.join(Middle, Body);
  G.join(Latch, Header);
  uint32_t Exit = G.addOptional(Middle, FlowGraph::Outside, 1);
  Terms T = G.solve();
  EXPECT_FALSE(isCounted(T, First) && isCounted(T, Second));
  EXPECT_TRUE(isCounted(T, Exit));
}

// No set of fewer counters determines all counts: the number of independent
// cycles of the graph is marked edges - nodes + components, by Euler.
TEST(FlowGraph, NumberOfCounters) {
  // entry -> A -> (B | C) -> D -> exit, all marked: two cycles.
  FlowGraph G;
  uint32_t Fork = G.addNode(), Merge = G.addNode();
  G.addMarked(FlowGraph::Outside, Fork, 10);  // A
  G.addMarked(Fork, Merge, 7);                // B
  G.addMarked(Fork, Merge, 3);                // C
  G.addMarked(Merge, FlowGraph::Outside, 10); // D
  Terms T = G.solve();
  // A and D, the hottest, join all three nodes; B and C count: A = B + C = D.
  std::vector<FlowGraph::Term> Both = {{1, 1}, {2, 1}};
  EXPECT_EQ(T[0], Both);
  EXPECT_EQ(T[3], Both);
  EXPECT_TRUE(isCounted(T, 1));
  EXPECT_TRUE(isCounted(T, 2));
}

TEST(FlowGraph, HottestHaveNoCounter) {
  FlowGraph G;
  uint32_t Fork = G.addNode(), Merge = G.addNode();
  G.addMarked(FlowGraph::Outside, Fork, 10); // A
  G.addMarked(Fork, Merge, 9);               // B
  G.addMarked(Fork, Merge, 1);               // C
  G.join(Merge, FlowGraph::Outside);
  Terms T = G.solve();
  EXPECT_TRUE(isCounted(T, 1));
  EXPECT_TRUE(isCounted(T, 2));
  EXPECT_EQ(T[0], (std::vector<FlowGraph::Term>{{1, 1}, {2, 1}}));

  // Where A runs less often than B (a loop around B): B is not counted.
  FlowGraph L;
  uint32_t Head = L.addNode(), Latch = L.addNode();
  L.addMarked(FlowGraph::Outside, Head, 1);  // A
  L.addMarked(Head, Latch, 50);              // B
  L.addMarked(Latch, Head, 49);              // C, back
  L.addMarked(Latch, FlowGraph::Outside, 1); // D
  T = L.solve();
  // B and C: C closes a cycle with B. Forest: B and A (first of equals).
  EXPECT_EQ(T[1], (std::vector<FlowGraph::Term>{{2, 1}, {3, 1}}));
  EXPECT_EQ(T[0], (std::vector<FlowGraph::Term>{{3, 1}}));
  EXPECT_TRUE(isCounted(T, 2));
  EXPECT_TRUE(isCounted(T, 3));
}

TEST(FlowGraph, OneRegion) {
  FlowGraph G;
  uint32_t Behind = G.addNode();
  G.addMarked(FlowGraph::Outside, Behind, 1);
  G.join(Behind, FlowGraph::Outside);
  EXPECT_TRUE(isCounted(G.solve(), 0));
}

// A stretch that nothing leads out of, or into, has no circulation.
TEST(FlowGraph, DeadEnd) {
  FlowGraph G;
  uint32_t End = G.addNode();
  G.addMarked(FlowGraph::Outside, End, 1);
  EXPECT_TRUE(G.solve()[0].empty());
}
