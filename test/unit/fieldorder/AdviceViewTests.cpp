// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tables of the report say, each against numbers worked out by hand.

#include "ReportSamples.h"
#include "hybrid/fieldorder/AdviceView.h"
#include "hybrid/fieldorder/Describe.h"
#include "hybrid/fieldorder/JsonReport.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/report/Render.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kst {
namespace {

using test::SampleBuilder;

/// a at 0, 92 other bytes, b at 96, c at 100: a and b are on two lines of 64.
/// The proposed order a, b, far, c has b at 4 and c still on the second line.
Report apart() {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4);
  uint32_t Far = B.field("char[92]", "far", 92, 1);
  uint32_t X = B.field("int", "b", 4), C = B.field("int", "c", 4);
  Site Both{"both", "x.c", 1}, Other{"both", "x.c", 50}, Pays{"pays", "x.c", 9};
  B.set(8, SetKind::Visit, CpuRelation::Local, Both,
        {{A, 1, 1, 0, Both}, {X, 0.5, 1, 0, Both}});
  B.set(2, SetKind::Visit, CpuRelation::Remote, Other, {{X, 1, 1, 0, Other}});
  B.set(1, SetKind::Visit, CpuRelation::Local, Pays,
        {{C, 1, 1, 0, Pays}, {A, 1, 1, 0, Pays}});
  B.order({A, X, Far, C});
  return B.take();
}

TEST(PathView, AFunctionIsShownByTheSetThatChangesMost) {
  Report R = apart();
  std::vector<PathView> Paths = pathsOf(R);
  ASSERT_EQ(Paths.size(), 2u);
  EXPECT_EQ(Paths[0].Where, (Site{"both", "x.c", 1}));
  EXPECT_EQ(R.Evidence.Sets[Paths[0].Set].Weight, 8);
  EXPECT_EQ(pathWords(R, Paths[0]), "local visit");
  EXPECT_DOUBLE_EQ(Paths[0].Share, 8.0 / 11);
  // Visits touch a and, every second one, b on another line.
  EXPECT_DOUBLE_EQ(Paths[0].Before, 1.5);
  EXPECT_DOUBLE_EQ(Paths[0].After, 1);
  EXPECT_DOUBLE_EQ(Paths[0].Saved, 8 * 0.5); // its other set: one line in both
  EXPECT_DOUBLE_EQ(Paths[1].Before, 2);
  EXPECT_DOUBLE_EQ(Paths[1].After, 2);
  EXPECT_EQ(Paths[1].Saved, 0);
}

TEST(PathView, SavedIsTheSumOverAllSetsOfTheFunction) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4);
  uint32_t Far = B.field("char[92]", "far", 92, 1);
  uint32_t X = B.field("int", "b", 4), C = B.field("int", "c", 4);
  Site F{"f", "x.c", 1};
  B.set(4, SetKind::Visit, CpuRelation::Local, F, {{A, 1, 1, 0, F}});
  B.set(3, SetKind::Visit, CpuRelation::Local, F,
        {{A, 1, 1, 0, F}, {X, 1, 1, 0, F}});
  B.set(1, SetKind::Visit, CpuRelation::Local, F,
        {{X, 1, 1, 0, F}, {C, 1, 1, 0, F}});
  B.order({A, X, Far, C}); // b comes to a and leaves c
  std::vector<PathView> Paths = pathsOf(B.take());
  ASSERT_EQ(Paths.size(), 1u);
  EXPECT_DOUBLE_EQ(Paths[0].Weight, 3);
  EXPECT_DOUBLE_EQ(Paths[0].Before, 2);
  EXPECT_DOUBLE_EQ(Paths[0].After, 1);
  EXPECT_DOUBLE_EQ(Paths[0].Saved, 3 * (2 - 1) + 1 * (1 - 2));
}

TEST(PathView, InstancesThatStartAnywhereTouchMoreLines) {
  Report R = apart();
  R.InstanceAlignBytes = 32;
  // Starts at 0 and 32 of a line, equally often: a and b stay together.
  EXPECT_DOUBLE_EQ(pathsOf(R)[0].After, 1);
  R.Layouts.Proposed.Plan.OffsetBits[2] =
      8 * 32; // from the start of the line: 32 and 64
  EXPECT_DOUBLE_EQ(pathsOf(R)[0].After, (1 + 1.5) / 2);
}

TEST(PathView, NotableOnesIncludeThoseThatPay) {
  std::vector<PathView> Paths(10);
  for (size_t I = 0; I < 10; ++I) {
    Paths[I].Weight = 1;
    Paths[I].Before = 2;
    Paths[I].Saved = I < 6 ? 1 : I < 8 ? 0 : -1;
    Paths[I].Where.Line = uint32_t(I);
  }
  auto Lines = [&](size_t Count) {
    std::vector<uint32_t> Result;
    for (const PathView &Path : notablePaths(Paths, Count))
      Result.push_back(Path.Where.Line);
    return Result;
  };
  EXPECT_EQ(Lines(8), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 8, 9}));
  EXPECT_EQ(Lines(4), (std::vector<uint32_t>{0, 1, 2, 9}));
  EXPECT_EQ(Lines(20), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 8, 9}));
  EXPECT_EQ(Lines(0), (std::vector<uint32_t>{}));
}

/// The rows of the table of the section with this title; none without it.
std::vector<Table::Row> rowsOf(const Report &R, const std::string &Title) {
  for (const Section &Part : describe(R).Sections)
    if (!Part.Title.empty() && Part.Title.Parts.front().Text == Title)
      return std::get<Table>(
                 static_cast<const Block::variant &>(Part.Body.front()))
          .Rows;
  return {};
}

TEST(DescribeAdvice, CurrentAndProposedOrdersComeFirst) {
  Report R = test::queueSample();
  std::vector<Table::Row> Rows = rowsOf(R, "orders compared");
  auto Cell = [&](size_t Row, size_t Column) {
    const Sentence &Said = Rows[Row].Cells[Column];
    return Said.empty() ? "" : Said.Parts.front().Text;
  };
  ASSERT_EQ(Rows.size(), 6u);
  EXPECT_EQ(Cell(0, 0), "current");
  EXPECT_EQ(Rows[0].Y, R.Layouts.ObjectiveNow);
  EXPECT_EQ(Cell(1, 0), "proposed");
  EXPECT_EQ(Cell(1, 3), "5");
  EXPECT_EQ(Cell(1, 4), "184");
  EXPECT_EQ(Cell(2, 0), "--ambitious");
  EXPECT_EQ(Cell(4, 5), "takes 'lock' from the first place");
  EXPECT_EQ(Cell(5, 0), "move waiters after name");
  R.Layouts.Compared.clear();
  R.Layouts.Asked.clear();
  // The best one found is left.
  EXPECT_EQ(rowsOf(R, "orders compared").size(), 3u);
  R.Layouts.Best.reset();
  EXPECT_TRUE(rowsOf(R, "orders compared").empty());
}

TEST(DescribeAdvice, FrontierKeepsTheEndsAndTheProposal) {
  Report R = test::wideSample();
  std::vector<FrontierPoint> &Points = R.Layouts.Frontier;
  Points.clear();
  for (uint32_t I = 0; I <= 120; ++I)
    Points.push_back({I, 200.0 - I, {}});
  R.Layouts.ObjectiveNew = 200 - 37; // as with --max-moves
  std::vector<double> Moves, Proposed;
  size_t All = 0;
  for (const Table::Row &Row :
       rowsOf(R, "cost against number of moved fields")) {
    ++All;
    if (Row.When == Shown::Always)
      Moves.push_back(Row.X);
    if (Row.Strong)
      Proposed.push_back(Row.X);
  }
  EXPECT_EQ(Moves, (std::vector<double>{0, 1, 3, 5, 10, 20, 37, 50, 100, 120}));
  EXPECT_EQ(Proposed, std::vector<double>{37});
  EXPECT_EQ(All, 121u);
}

TEST(ReportView, MovedFieldsAreThoseThatTheFrontierNames) {
  SampleBuilder B("s");
  for (const char *Name : {"a", "b", "c", "d"})
    B.field("int", Name, 4);
  B.set(1, SetKind::Visit, CpuRelation::Local, {}, {{0, 1, 1, 0, {}}});
  B.order({1, 0, 2, 3}); // a after b, or b before a
  Report R = B.take();
  R.Layouts.Frontier = {{0, 9, {}}, {1, R.Layouts.ObjectiveNew, {"b"}}};
  EXPECT_EQ(ReportView(R).Moved,
            (std::vector<bool>{false, true, false, false}));
  R.Layouts.Frontier[1].Moved = {"a"};
  EXPECT_EQ(ReportView(R).Moved,
            (std::vector<bool>{true, false, false, false}));
  R.Layouts.Frontier[1].Moved = {"d"}; // does not give that order
  std::vector<bool> Moved = ReportView(R).Moved;
  EXPECT_EQ(std::count(Moved.begin(), Moved.end(), true), 1);
  EXPECT_FALSE(Moved[3]);
}

TEST(DescribeAdvice, CostIsPerVisitOfTheConfiguration) {
  Report R = test::queueSample();
  R.Layouts.Configs[1].Now = {30, 9, 1};
  R.Layouts.Configs[1].New = {20, 0, 0};
  R.Layouts.Configs[1].Visits = 10;
  R.Layouts.Configs[1].Name = "";
  std::string Text = toText(describe(R));
  for (const char *Row :
       {"  64  176 -> 184    4 -> 8   0 -> 4",
        "arm-linux-gnueabi    64    72 -> 80    4 -> 8   0 -> 4  4.0 -> 2.0",
        "  only scored"})
    EXPECT_NE(Text.find(Row), std::string::npos) << Row << "\n" << Text;
}

TEST(DescribeLayouts, AbsentFieldsAreInNoLayout) {
  Report R = test::queueSample();
  uint32_t Stats = 4;
  R.Evidence.Record.Fields[Stats].Absent = true;
  LayoutView View = currentView(R);
  EXPECT_EQ(View.Places.size(), 10u);
  for (const FieldPlace &P : View.Places)
    EXPECT_NE(P.Field, Stats);
  EXPECT_EQ(toText(describe(R)).find("struct queue_stats"), std::string::npos);
  auto J = nlohmann::json::parse(toJson(R), nullptr, false);
  EXPECT_EQ(J["fields"].size(), 10u);
  EXPECT_EQ(J["layouts"]["current"]["order"].size(), 10u);
  EXPECT_EQ(J["layouts"]["order"].size(), 11u); // as the source declares
  EXPECT_EQ(J["configs"][1]["offsets"].size(), 9u);
}

TEST(AdviceView, WhatBlocksMostComesFirst) {
  Report R = test::queueSample();
  ReportView View(R);
  std::vector<HeldRow> Held = heldFields(View);
  ASSERT_EQ(Held.size(), 5u);
  EXPECT_EQ(heldWords(Held[0]), "lock: others cast to it: stays first");
  EXPECT_NEAR(Held[0].Share, 0.11, 1e-12);
  EXPECT_EQ(Held[1].Note->Field, "stats");
  EXPECT_EQ(Held[2].Note->Field, "name");
  EXPECT_NEAR(blockedShare(View), 0.13, 1e-12);
}

TEST(AdviceView, OneRowForEachRuleLiftedOnesFirst) {
  Report R = test::queueSample();
  ConstraintNote Note;
  Note.Id = "comment:a";
  Note.Why = "its comment says so";
  Note.Strength = RuleStrength::Soft;
  R.Layouts.Constraints.clear();
  for (const char *Field : {"a", "b", "c", "d", "e", "f"}) {
    Note.Field = Field;
    R.Layouts.Constraints.push_back(Note);
  }
  Note.Id = "cast:z";
  Note.Field = "z";
  Note.Lifted = true;
  R.Layouts.Constraints.push_back(Note);
  Note = {};
  Note.Why = "a union";
  Note.Unliftable = "the language";
  R.Layouts.Constraints.push_back(Note);
  R.Layouts.Constraints[3].Blocks = R.Layouts.ObjectiveNow / 2;
  ReportView View(R);
  std::vector<HeldRow> Held = heldFields(View);
  ASSERT_EQ(Held.size(), 3u);
  EXPECT_EQ(strengthWord(*Held[0].Note), "lifted");
  EXPECT_EQ(strengthWord(*Held[1].Note), "soft");
  EXPECT_EQ(strengthWord(*Held[2].Note), "fixed");
  EXPECT_EQ(heldWords(Held[1]),
            "a, b, c, d and 2 fields more: its comment says so");
  EXPECT_DOUBLE_EQ(Held[1].Share, 0.5);
  EXPECT_EQ(heldWords(Held[2]), "a union");
  std::string Text = toText(describe(R));
  EXPECT_NE(Text.find("       -  cast:z     lifted  z: its comment"),
            std::string::npos)
      << Text;
}

TEST(AdviceView, StabilityNamesWeakMoves) {
  Report R = test::queueSample();
  R.Layouts.Weights = {64, 4, 0.984375, 0.054, 0.3, {{"x", 0.95}, {"y", 0.5}}};
  std::string Text = stabilityWords(ReportView(R));
  EXPECT_NE(Text.find("in 63 of 64 draws"), std::string::npos) << Text;
  EXPECT_NE(Text.find("1/4 to 4"), std::string::npos);
  EXPECT_NE(Text.find("gain 5 to 30%"), std::string::npos);
  EXPECT_NE(Text.find("y (50%)"), std::string::npos);
  EXPECT_EQ(Text.find("x ("), std::string::npos);
  R.Layouts.Weights.Draws = 0;
  EXPECT_EQ(stabilityWords(ReportView(R)), "");
}

TEST(AdviceView, FullTextListsEveryRule) {
  Report R = test::queueSample();
  TextOptions Full;
  Full.Full = true;
  std::string Short = toText(describe(R)), Long = toText(describe(R), Full);
  EXPECT_NE(Short.find("3 more rules block nothing"), std::string::npos);
  EXPECT_EQ(Short.find("bit-field run"), std::string::npos);
  EXPECT_NE(Long.find("power: bit-field run"), std::string::npos);
  EXPECT_EQ(Long.find("more rule"), std::string::npos);
}

} // namespace
} // namespace kst
