// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ImpactReplay.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// Three globals of 8 bytes: the second moves onto the line of the first, away
/// from that of the third.
TEST(ImpactReplay, PairsThatNoInstructionTells) {
  ObjectFile File;
  File.Sections.resize(2);
  File.Sections[1] = {".data", 0x4000, 0x1000, 64, true, false, true};
  const std::vector<std::pair<const char *, uint64_t>> Named = {
      {"limit", 0x4000}, {"lock", 0x4080}, {"flag", 0x4088}};
  for (const auto &[Name, At] : Named) {
    ObjectSymbol S;
    S.Name = Name;
    S.Value = At;
    S.SizeBytes = 8;
    S.Section = 1;
    S.Object = true;
    File.Symbols.push_back(S);
  }
  const std::vector<double> Heat(3);
  const GlobalUses Uses;
  const ImpactSide Before{
      File, {0x4000, 0x4080, 0x4088}, {"a.o", "b.o", "c.o"}, Heat, Uses};
  const ImpactSide After{
      File, {0x4000, 0x4008, 0x4088}, {"a.o", "b.o", "c.o"}, Heat, Uses};
  Impact Found = impactOf(Before, After, 64, {});
  EXPECT_EQ(Found.PairsStarting, 1u);
  EXPECT_EQ(Found.PairsEnding, 1u);
  EXPECT_TRUE(Found.Pairs.empty());

  const std::vector<Global> Globals = globalsOf(File, {});
  const std::vector<GlobalPlace> InPlace,
      Places = {{0x4000, 0}, {0x4008, 0}, {0x4088, 0}};
  GlobalReplay Old(Globals, InPlace, 2, 64), New(Globals, Places, 2, 64);
  for (int Round = 0; Round < 10; ++Round)
    for (GlobalReplay *To : {&Old, &New}) {
      To->access(0x4080, 8, 0, AccessKind::Store);
      To->access(0x4000, 8, 1, AccessKind::Load);
      if (Round < 3)
        To->access(0x4088, 8, 1, AccessKind::Load);
    }
  addReplays(Found, {Globals, Places, Old, New, Before, 64});
  ASSERT_EQ(Found.Pairs.size(), 2u);
  EXPECT_EQ(Found.PairsOfTrace, 2u);
  const GlobalPair &First = Found.Pairs.front(), &Last = Found.Pairs.back();
  EXPECT_TRUE(First.Starts);
  EXPECT_EQ(First.Written.Name, "lock");
  EXPECT_EQ(First.Written.Address, 0x4008u);
  EXPECT_EQ(First.Read.Name, "limit");
  EXPECT_EQ(First.Line, 0x4000u);
  EXPECT_EQ(First.FalseBefore, 0u);
  EXPECT_GT(First.FalseAfter, 5u);
  EXPECT_FALSE(Last.Starts);
  EXPECT_EQ(Last.Written.Name, "lock");
  EXPECT_EQ(Last.Written.Address, 0x4080u);
  EXPECT_EQ(Last.Read.Name, "flag");
  EXPECT_GT(Last.FalseBefore, 0u);
  EXPECT_EQ(Last.FalseAfter, 0u);

  // What is listed already is only counted.
  addReplays(Found, {Globals, Places, Old, New, Before, 64});
  EXPECT_EQ(Found.Pairs.size(), 2u);
  EXPECT_EQ(Found.PairsOfTrace, 0u);
}

} // namespace
