// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/SummaryOrder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace kst;

namespace {

size_t placeOf(const std::vector<FunctionId> &Order, FunctionId Id) {
  return size_t(std::ranges::find(Order, Id) - Order.begin());
}

TEST(SummaryOrder, CalleesComeFirst) {
  std::mt19937 Random(3);
  for (int Trial = 0; Trial < 50; ++Trial) {
    // Calls go to larger numbers of a shuffled numbering only: no cycle.
    std::vector<FunctionId> Name(40);
    for (FunctionId Id = 0; Id < Name.size(); ++Id)
      Name[Id] = Id;
    std::ranges::shuffle(Name, Random);
    CallGraph Graph(Name.size());
    for (FunctionId From = 0; From < Name.size(); ++From)
      for (FunctionId To = From + 1; To < Name.size(); ++To)
        if (Random() % 8 == 0)
          Graph[Name[From]].push_back({Name[To], double(Random() % 5)});
    const auto Order = calleesFirst(Graph, std::vector(Name.size(), 1.0));
    ASSERT_EQ(Order.size(), Name.size());
    for (FunctionId From = 0; From < Graph.size(); ++From)
      for (const CallEdge &E : Graph[From])
        EXPECT_LT(placeOf(Order, E.Callee), placeOf(Order, From));
  }
}

TEST(SummaryOrder, InACycleTheWeakestCallGivesWay) {
  // 0 -> 1 -> 2 -> 0, and 2 calls 0 hardly ever, whatever the numbers are.
  for (FunctionId First : {0u, 1u, 2u}) {
    const FunctionId A = First, B = (First + 1) % 3, C = (First + 2) % 3;
    CallGraph Graph(3);
    Graph[A] = {{B, 2}};
    Graph[B] = {{C, 1}};
    Graph[C] = {{A, 0.001}};
    EXPECT_EQ(calleesFirst(Graph, {1, 1, 1}),
              (std::vector<FunctionId>{C, B, A}));
  }
}

TEST(SummaryOrder, HowOftenTheCallerRunsCounts) {
  CallGraph Graph(2);
  Graph[0] = {{0, 3}, {1, 1}}; // itself, too
  Graph[1] = {{0, 1}};
  EXPECT_EQ(calleesFirst(Graph, {10, 1}), (std::vector<FunctionId>{1, 0}));
  EXPECT_EQ(calleesFirst(Graph, {1, 10}), (std::vector<FunctionId>{0, 1}));
}

} // namespace
