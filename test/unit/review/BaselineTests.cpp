// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/layout/Records.h"

#include "hybrid/review/Baseline.h"
#include "hybrid/review/BaselineCheck.h"
#include "hybrid/review/FieldPairs.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

LayoutBaseline sample() {
  LayoutBaseline B;
  B.Tool = {"1.0", "19"};
  BaselineStruct &S = B.Structs.emplace_back();
  S.Config = "x86_64";
  S.Triple = "x86_64-linux-gnu";
  S.Cost = 2.5;
  S.Record =
      record({field("a", 8), bits("flag", 3), aligned(field("b", 4), 64)});
  S.Record.Name = "s";
  S.Record.File = "s.h";
  S.Record.Fields[0].Members = {"x", "y"};
  S.Record.Fields[0].Anonymous = true;
  S.Record.Fields[0].TypeName = "union \"odd\" \xff";
  return B;
}

TEST(Baseline, ComesBackAsItWas) {
  const LayoutBaseline Was = sample();
  auto Is = readBaseline(toJson(Was));
  ASSERT_TRUE(Is) << Is.error();
  ASSERT_EQ(Is->Structs.size(), 1u);
  const BaselineStruct &S = Is->Structs[0];
  EXPECT_EQ(S.Config, "x86_64");
  EXPECT_EQ(S.LineBytes, 64u);
  EXPECT_EQ(S.Cost, 2.5);
  EXPECT_TRUE(sameLayout(S.Record, Was.Structs[0].Record));
  EXPECT_EQ(S.Record.Fields[2].ExplicitAlignBytes, 64u);
  EXPECT_TRUE(S.Record.Fields[1].BitField);
  EXPECT_EQ(toJson(*Is).size() > 100, true);
}

TEST(Baseline, WhatIsNone) {
  const std::string Good = toJson(sample());
  auto With = [&](const std::string &Old, const std::string &New) {
    std::string Text = Good;
    Text.replace(Text.find(Old), Old.size(), New);
    return readBaseline(Text);
  };
  for (const std::string &Text :
       {std::string(), std::string("[]"), std::string("{}"),
        std::string("{\"schema\": 1}"), Good.substr(0, Good.size() / 2)})
    EXPECT_FALSE(readBaseline(Text)) << Text;
  EXPECT_NE(With("kst-baseline/1", "kst-baseline/9").error().find("version"),
            std::string::npos);
  EXPECT_FALSE(With("\"size\":128", "\"size\":8")); // fields stand behind it
  EXPECT_FALSE(With("\"align\":64", "\"align\":0"));
  EXPECT_FALSE(With("\"offset_bits\":0", "\"offset_bits\":-8"));
  EXPECT_FALSE(With("\"cache_line\":64", "\"cache_line\":0"));
  EXPECT_FALSE(With("\"cache_line\":64", "\"cache_line\":48"));
  EXPECT_NE(With("\"align\":64", "\"align\":0").error().find("'align'"),
            std::string::npos);
  EXPECT_NE(With("[\"x\",\"y\"]", "[1]").error().find("'fields: members'"),
            std::string::npos);
  EXPECT_FALSE(With("\"fields\":", "\"field\":"));
  EXPECT_TRUE(With("\"cost\":2.5", "\"cost\":3"));
}

TEST(Baseline, WhatNoLayoutHas) {
  LayoutBaseline B = sample();
  RecordInfo &Of = B.Structs[0].Record;
  ASSERT_GE(Of.Fields.size(), 2u);
  FieldInfo &Second = Of.Fields[1];
  const FieldInfo Was = Second;
  Second.Name = Of.Fields[0].Name;
  EXPECT_FALSE(readBaseline(toJson(B)));
  Second = Was;
  Second.OffsetBits = Of.Fields[0].OffsetBits;
  EXPECT_FALSE(readBaseline(toJson(B)));
  // Members of a union lie on each other.
  Of.Fields.resize(2);
  Of.Fields[0].OffsetBits = Of.Fields[1].OffsetBits = 0;
  Of.AlignBytes = 8;
  Of.SizeBytes =
      (std::max(Of.Fields[0].SizeBits, Of.Fields[1].SizeBits) / 8 + 7) / 8 * 8;
  EXPECT_TRUE(readBaseline(toJson(B)));
  // Two files may each have one of this name.
  B = sample();
  B.Structs.push_back(B.Structs[0]);
  EXPECT_FALSE(readBaseline(toJson(B)));
  B.Structs[1].Record.File = "other.c";
  EXPECT_TRUE(readBaseline(toJson(B)));
}

struct Checked {
  RecordInfo Base;
  AffinityEvidence Head;
  std::vector<std::string> keys(uint32_t LineBytes = 64) {
    Base.Name = Head.Record.Name = "s";
    StructVersions Of;
    Of.Base = &Base;
    Of.Head = &Head;
    Of.Layout.LineBytes = LineBytes;
    ReviewedStruct To;
    addBaselineFindings(Of, {}, To);
    std::vector<std::string> Keys;
    for (const Finding &F : To.Findings)
      Keys.push_back(F.key());
    return Keys;
  }
};

TEST(BaselineCheck, AFieldAcrossTheEndOfALine) {
  Checked C;
  C.Base = record({field("pad", 48, 8), field("key", 16, 8)});
  C.Head.Record = record({field("pad", 56, 8), field("key", 16, 8)});
  C.Head.Fields.resize(2);
  C.Head.Fields[1].Reads = 10;
  EXPECT_EQ(C.keys(), (std::vector<std::string>{"size s", "split s.key"}));
  // With lines of 128 bytes it crosses none.
  EXPECT_EQ(C.keys(128), std::vector<std::string>{"size s"});
  // Nobody uses it.
  C.Head.Fields[1].Reads = 0;
  EXPECT_EQ(C.keys(), std::vector<std::string>{"size s"});
}

TEST(BaselineCheck, WhatIsSmallerIsNoFinding) {
  Checked C;
  C.Base = record({field("a", 8), field("b", 8)});
  C.Head.Record = record({field("a", 8)});
  C.Head.Fields.resize(1);
  EXPECT_TRUE(C.keys().empty());
}

} // namespace
