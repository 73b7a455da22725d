// SPDX-License-Identifier: GPL-2.0-or-later

#include "../layout/Records.h"

#include "hybrid/affinity/AffinityGraph.h"

#include <gtest/gtest.h>

#include <thread>

using namespace kst;
using namespace kst::test;

namespace {

std::vector<CoAccessSet> twoGroups() {
  return {visit(10, {touch(0), touch(1), touch(2, 0.5)}),
          visit(6, {touch(3), touch(4)})};
}
RecordInfo sixFields() {
  return record({field("a", 8), field("b", 8), field("c", 8), field("d", 8),
                 field("e", 8), field("cold", 8)});
}
AffinityGraph graph(const std::vector<CoAccessSet> &Sets) {
  return AffinityGraph(sixFields(), Sets, Conflicts(6, Sets));
}

TEST(AffinityGraph, GainIsTogethernessAboveChance) {
  AffinityGraph G = graph(twoGroups());
  // W = 16, two sets: W0 = 8.
  ASSERT_EQ(G.edges().size(), 4u);
  EXPECT_DOUBLE_EQ(G.edges()[0].Gain, 10 - 10.0 * 10 / 24); // a b
  EXPECT_DOUBLE_EQ(G.edges()[1].Gain, 5 - 10.0 * 5 / 24);   // a c
  EXPECT_EQ(G.edges()[3].A, 3u);
  EXPECT_DOUBLE_EQ(G.edges()[3].Gain, 6 - 6.0 * 6 / 24); // d e
  EXPECT_DOUBLE_EQ(G.frequency(2), 5);
}

TEST(AffinityGraph, FieldsThatMeetByChanceHaveLittleGain) {
  // a and b independent: together in exactly the product of frequencies.
  std::vector<CoAccessSet> Sets{visit(25, {touch(0), touch(1)}),
                                visit(25, {touch(0)}), visit(25, {touch(1)}),
                                visit(25, {touch(2)})};
  AffinityGraph G = graph(Sets);
  double Gain = 0;
  for (const AffinityEdge &E : G.edges())
    if (E.A == 0 && E.B == 1)
      Gain = E.Gain;
  // 25 - 50*50/125 = 5: what the unseen visits of the null model leave.
  EXPECT_DOUBLE_EQ(Gain, 5);
}

TEST(AffinityGraph, CommunitiesAreTheGroupsHottestFirst) {
  auto Groups = graph(twoGroups()).communities();
  ASSERT_EQ(Groups.size(), 2u);
  EXPECT_EQ(Groups[0], (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(Groups[1], (std::vector<uint32_t>{3, 4}));
}

TEST(AffinityGraph, SameGroupsFromEveryThread) {
  std::mt19937 Rng(3);
  RecordInfo R = randomRecord(Rng, 40);
  auto Sets = randomSets(Rng, 40, 60);
  AffinityGraph G(R, Sets, Conflicts(40, Sets));
  auto Expected = G.communities();
  std::vector<std::vector<std::vector<uint32_t>>> Got(4);
  std::vector<std::thread> Threads;
  for (auto &Groups : Got)
    Threads.emplace_back([&] { Groups = G.communities(); });
  for (std::thread &T : Threads)
    T.join();
  for (const auto &Groups : Got)
    EXPECT_EQ(Groups, Expected);
}

TEST(AffinityGraph, ManyRandomGraphsEnd) {
  // Rounding in its sums once kept the library moving a node for ever.
  std::mt19937 Rng(17);
  for (int I = 0; I < 300; ++I) {
    uint32_t N = 3 + Rng() % 30;
    RecordInfo R = randomRecord(Rng, N);
    auto Sets = randomSets(Rng, N, 1 + Rng() % 30);
    AffinityGraph(R, Sets, Conflicts(N, Sets)).communities();
  }
}

TEST(AffinityGraph, ExportsNamesGainAndLoss) {
  RecordInfo R = sixFields();
  R.Fields[0].Name = "a<\"&";
  auto Sets = twoGroups();
  AffinityGraph G(R, Sets, Conflicts(6, Sets));
  auto Xml = G.graphMl();
  ASSERT_TRUE(bool(Xml)) << Xml.error();
  EXPECT_NE(Xml->find("a&lt;&quot;&amp;"), std::string::npos);
  EXPECT_NE(Xml->find("attr.name=\"gain\""), std::string::npos);
  EXPECT_NE(Xml->find("attr.name=\"loss\""), std::string::npos);
  EXPECT_NE(Xml->find("</graphml>"), std::string::npos);
  auto Dot = G.dot();
  ASSERT_TRUE(bool(Dot)) << Dot.error();
  EXPECT_NE(Dot->find("graph {"), std::string::npos);
  EXPECT_NE(Dot->find("gain="), std::string::npos);
  EXPECT_NE(Dot->find("label=cold"), std::string::npos);
  EXPECT_EQ(*G.dot(), *Dot);
}

} // namespace
