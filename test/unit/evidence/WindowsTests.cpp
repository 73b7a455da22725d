// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/Windows.h"

#include "gtest/gtest.h"

#include <string>

using namespace kst;

namespace {

/// Letters are fields, capitals write; a digit switches to that CPU, a '#' and
/// a digit to that instance, '!' and '.' to one of another CPU and back.
Windows trace(const std::string &Text, WindowOptions Options = {}) {
  Windows Of(26, Options);
  WindowEvent E;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (C == '#') {
      E.Instance = Text[++I] - '0';
      continue;
    }
    if (C >= '0' && C <= '9') {
      E.Cpu = C - '0';
      continue;
    }
    if (C == '!' || C == '.') {
      E.ByOther = C == '!';
      continue;
    }
    E.Write = C < 'a';
    E.Field = E.Write ? C - 'A' : C - 'a';
    Of.add(E);
  }
  Of.finish();
  return Of;
}

uint64_t at(const std::vector<uint64_t> &Table, char A, char B) {
  return Table[size_t(A - 'a') * 26 + size_t(B - 'a')];
}

std::string text(const CoAccessSet &Set) {
  std::string Text;
  for (const FieldTouch &T : Set.Touches)
    Text += char('a' + T.Field);
  return Text;
}

} // namespace

TEST(Windows, RepeatsAreOne) {
  Windows Of = trace("aaabbbAba");
  EXPECT_EQ(at(Of.adjacent(), 'a', 'b'), 4u); // a b a b a
  EXPECT_EQ(at(Of.adjacent(), 'b', 'a'), 4u);
  EXPECT_EQ(at(Of.adjacent(), 'a', 'a'), 0u);
  EXPECT_EQ(Of.reads()[0], 4u);
  EXPECT_EQ(Of.writes()[0], 1u);
  EXPECT_EQ(Of.events(), 9u);
}

TEST(Windows, InstancesAndCpusAreApart) {
  Windows Of = trace("#0a#1x#0b#1y");
  EXPECT_EQ(at(Of.adjacent(), 'a', 'b'), 1u);
  EXPECT_EQ(at(Of.adjacent(), 'x', 'y'), 1u);
  EXPECT_EQ(at(Of.adjacent(), 'a', 'x'), 0u);
  EXPECT_EQ(at(trace("0a1b0c").adjacent(), 'a', 'b'), 0u);
  EXPECT_EQ(at(trace("0a1b0c").adjacent(), 'a', 'c'), 1u);
}

TEST(Windows, SetsAreWindowsThatDoNotOverlap) {
  WindowOptions Options;
  Options.Window = 2;
  std::vector<CoAccessSet> Sets = trace("abababcD", Options).sets();
  ASSERT_EQ(Sets.size(), 2u);
  EXPECT_EQ(text(Sets[0]), "ab");
  EXPECT_EQ(Sets[0].Weight, 3);
  EXPECT_EQ(Sets[0].Kind, SetKind::Trace);
  EXPECT_EQ(text(Sets[1]), "cd");
  EXPECT_EQ(Sets[1].Touches[1].Writes, 1);
  EXPECT_EQ(Sets[1].Touches[1].Reads, 0);
}

TEST(Windows, BelongToWhoeverMadeMostOfThem) {
  WindowOptions Options;
  Options.Window = 2;
  std::vector<CoAccessSet> Sets = trace("0abab1!ab2.a!b3!aab", Options).sets();
  ASSERT_EQ(Sets.size(), 2u);
  EXPECT_EQ(text(Sets[0]), "ab");
  EXPECT_EQ(Sets[0].Cpu, CpuRelation::Local);
  EXPECT_EQ(Sets[0].Weight, 3); // with that of which half is by another
  EXPECT_EQ(text(Sets[1]), "ab");
  EXPECT_EQ(Sets[1].Cpu, CpuRelation::Remote);
  EXPECT_EQ(Sets[1].Weight, 2);
  EXPECT_EQ(Sets[1].Touches[0].Reads, 1.5);
}

TEST(Windows, SitesReadOrWrite) {
  Windows Of(2);
  Of.Places = {{"rd", "a.c", 1}, {"wr", "a.c", 2}, {"inc", "a.c", 3}};
  Of.add({0, 0, 1, false, false, false, 0});
  Of.add({0, 0, 1, true, false, false, 1});
  Of.add({0, 0, 1, true, false, false,
          9}); // not the first writer, and without place
  Of.add({0, 1, 1, true, true, false, 2});
  Of.finish();
  EXPECT_EQ(Of.reads()[1], 1u);
  EXPECT_EQ(Of.writes()[1], 1u);
  std::vector<CoAccessSet> Sets = Of.sets();
  ASSERT_EQ(Sets.size(), 1u);
  const std::vector<AccessSite> &First = Sets[0].Touches[0].Sites;
  ASSERT_EQ(First.size(), 2u);
  EXPECT_EQ(First[0].Where.Function, "rd");
  EXPECT_DOUBLE_EQ(First[0].Reads, 1);
  EXPECT_DOUBLE_EQ(First[0].Writes, 0);
  EXPECT_EQ(First[1].Where.Function, "wr");
  EXPECT_DOUBLE_EQ(First[1].Reads, 0);
  EXPECT_DOUBLE_EQ(First[1].Writes, 1);
  ASSERT_EQ(Sets[0].Touches[1].Sites.size(), 1u);
  EXPECT_DOUBLE_EQ(Sets[0].Touches[1].Sites[0].Reads, 1);
  EXPECT_DOUBLE_EQ(Sets[0].Touches[1].Sites[0].Writes, 1);
}

TEST(Windows, MemoryIsBounded) {
  WindowOptions Options;
  Options.MaxStreams = 10;
  Options.MaxSets = 5;
  Windows Of(26, Options);
  for (uint32_t I = 0; I != 100000; ++I)
    Of.add({I % 7, I * 31 % 26, I % 1000, false});
  Of.finish();
  EXPECT_LE(Of.sets().size(), 5u);
  Of = Windows(3);
  Of.add({0, 3, 0, false}); // no such field
  EXPECT_EQ(Of.events(), 0u);
}

TEST(Windows, SpotsOfLargeFields) {
  Windows Of(2);
  auto Add = [&](uint32_t Field, uint32_t Offset, bool Write) {
    WindowEvent E;
    E.Field = Field;
    E.OffsetBytes = Offset;
    E.Write = Write;
    Of.add(E);
  };
  // A window is closed by another access than the eighth's.
  for (int Window = 0; Window != 2; ++Window)
    for (int I = 0; I != 4; ++I) {
      Add(0, Window ? 100 : 196, I == 0);
      Add(1, WindowEvent::NoOffset, false);
    }
  Of.finish();
  const std::vector<CoAccessSet> Sets = Of.sets();
  ASSERT_EQ(Sets.size(), 1u);
  ASSERT_EQ(Sets[0].Touches.size(), 2u);
  EXPECT_EQ(Sets[0].Touches[0].Spots,
            (std::vector<Spot>{{96, 0.5, 0.5}, {192, 0.5, 0.5}}));
  EXPECT_TRUE(Sets[0].Touches[1].Spots.empty());
}
