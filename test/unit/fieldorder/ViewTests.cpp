// SPDX-License-Identifier: GPL-2.0-or-later
//
// The derived values that every renderer shows, each against numbers worked
// out by hand.

#include "ReportSamples.h"
#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/PatchText.h"
#include "hybrid/fieldorder/UsedTogether.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

using test::SampleBuilder;

TEST(FieldView, HotnessIsTheShareOfAllAccesses) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4), C = B.field("int", "c", 4);
  B.field("int", "cold", 4);
  B.set(2, SetKind::Visit, CpuRelation::Local, {},
        {{A, 1, 1, 2, {}}, {C, 1, 1, 0, {}}});
  std::vector<double> Heat = hotness(B.take().Evidence);
  EXPECT_EQ(Heat, (std::vector<double>{6.0 / 8, 2.0 / 8, 0}));
}

TEST(FieldView, HotnessIsZeroWithoutEvidence) {
  for (double Share : hotness(test::silentSample().Evidence))
    EXPECT_EQ(Share, 0);
}

TEST(FieldView, ReadMostlyStartsAtSixteenReadsPerWrite) {
  FieldUse Use;
  EXPECT_EQ(accessMark(Use), AccessMark::None);
  Use.Reads = 32;
  EXPECT_EQ(accessMark(Use), AccessMark::Read);
  Use.Writes = 2;
  EXPECT_EQ(accessMark(Use), AccessMark::ReadMostly);
  Use.Writes = 2.01;
  EXPECT_EQ(accessMark(Use), AccessMark::ReadWrite);
  Use.Reads = 0;
  EXPECT_EQ(accessMark(Use), AccessMark::Write);
}

TEST(FieldView, DeclaresAsC) {
  auto Text = [](FieldInfo F) {
    Declaration D = declaration(F);
    return D.Type + "|" + D.Name;
  };
  FieldInfo F;
  F.Name = "x";
  F.TypeName = "int[3][5]";
  EXPECT_EQ(Text(F), "int|x[3][5]");
  F.TypeName = "int (*)(void)";
  EXPECT_EQ(Text(F), "int (*x)(void)|");
  F.TypeName = "struct s *";
  EXPECT_EQ(Text(F), "struct s *|x");
  F.TypeName = "u8";
  F.BitField = true;
  F.SizeBits = 3;
  EXPECT_EQ(Text(F), "u8|x:3");
  F.BitField = false;
  F.Anonymous = true;
  F.Name = "a|b";
  F.TypeName = "union s::(anonymous)";
  EXPECT_EQ(Text(F), "union { a|b }|");
}

TEST(LayoutView, FindsHolesPaddingAndSpanningFields) {
  SampleBuilder B("s");
  uint32_t A = B.field("char", "a", 1);
  uint32_t C = B.field("u64", "c", 8);
  uint32_t Big = B.field("char[64]", "big", 64, 1); // 16..80
  uint32_t Z = B.field("char", "z", 1);             // 80, size 88
  B.set(1, SetKind::Visit, CpuRelation::Local, {}, {{Big, 1, 1, 0, {}}});
  LayoutView View = currentView(B.take());
  ASSERT_EQ(View.Places.size(), 4u);
  EXPECT_EQ(View.Places[1].HoleBits, 56u);
  EXPECT_EQ(View.HoleCount, 1u);
  EXPECT_EQ(View.PaddingBytes, 7u);
  ASSERT_EQ(View.Lines.size(), 2u);
  EXPECT_EQ(View.Lines[0].Fields, (std::vector<uint32_t>{A, C, Big}));
  EXPECT_EQ(View.Lines[1].Fields, (std::vector<uint32_t>{Big, Z}));
  EXPECT_DOUBLE_EQ(View.Lines[0].Share, 48.0 / 64);
  EXPECT_DOUBLE_EQ(View.Lines[1].Share, 16.0 / 64);
}

TEST(LayoutView, IncompleteLayoutStandsForTheDeclaration) {
  Report R = test::queueSample();
  LayoutView Whole = currentView(R);
  R.Layouts.Current.Plan.Order.assign(11, 0); // every entry the same field
  LayoutView View = currentView(R);
  ASSERT_EQ(View.Places.size(), Whole.Places.size());
  for (size_t I = 0; I < View.Places.size(); ++I)
    EXPECT_EQ(View.Places[I].BeginBits, Whole.Places[I].BeginBits);
  R.Layouts.Proposed = {};
  EXPECT_EQ(proposedView(R).SizeBytes, R.Evidence.Record.SizeBytes);
}

TEST(LayoutView, FewestMovesAreCounted) {
  SampleBuilder B("s");
  for (const char *Name : {"a", "b", "c", "d", "e"})
    B.field("int", Name, 4);
  B.order({1, 2, 0, 3, 4}); // moving a alone is enough
  Report R = B.take();
  EXPECT_EQ(movedFields(currentView(R), proposedView(R)),
            (std::vector<bool>{true, false, false, false, false}));
  EXPECT_EQ(movedFields(currentView(R), currentView(R)),
            std::vector<bool>(5, false));
}

TEST(LayoutView, FewestLinesForAShare) {
  LayoutView View;
  View.Lines = {{0, {}, 0.1}, {1, {}, 0.6}, {2, {}, 0}, {3, {}, 0.3}};
  EXPECT_EQ(linesForShare(View, 0.9), 2u);
  EXPECT_EQ(linesForShare(View, 0.91), 3u);
  EXPECT_EQ(linesForShare(View, 1), 3u);
  EXPECT_EQ(linesForShare(LayoutView(), 0.9), 0u);
}

TEST(GroupView, SavedIsTouchesMinusLineTouches) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4), C = B.field("int", "c", 4);
  uint32_t Far = B.field("char[64]", "far", 64, 1), Z = B.field("int", "z", 4);
  Site Here{"here", "a.c", 1}, There{"there", "a.c", 9};
  B.set(10, SetKind::Visit, CpuRelation::Local, Here,
        {{A, 0.5, 1, 0, Here}, {C, 0.8, 1, 0, Here}, {Z, 1, 1, 0, Here}});
  B.set(4, SetKind::Visit, CpuRelation::Local, There, {{A, 1, 1, 0, There}});
  Report R = B.take();
  std::vector<GroupView> Groups = groupsOf(R, currentView(R));
  ASSERT_EQ(Groups.size(), 2u); // line 0: a, c; line 1: z
  EXPECT_EQ(Groups[0].Line, 0u);
  EXPECT_EQ(Groups[0].Fields, (std::vector<uint32_t>{A, C}));
  ASSERT_EQ(Groups[0].Reasons.size(), 1u);
  // 10 * (0.5 + 0.8 - (1 - 0.5 * 0.2))
  EXPECT_NEAR(Groups[0].Reasons[0].Saved, 4.0, 1e-12);
  EXPECT_EQ(Groups[0].Reasons[0].Fields, (std::vector<uint32_t>{C, A}));
  EXPECT_EQ(Groups[0].Reasons[0].By.Where, Here);
  EXPECT_DOUBLE_EQ(Groups[0].Reasons[0].By.Reads, 2);
  EXPECT_DOUBLE_EQ(Groups[0].Reasons[0].By.Writes, 0);
  EXPECT_TRUE(Groups[1].Reasons.empty());
  (void)Far;
}

TEST(UsedTogether, OneGroupPerHotLineWithANameOfItsOwn) {
  SampleBuilder B("s");
  std::vector<uint32_t> F;
  for (const char *Name : {"a", "c", "d", "e", "f", "g", "h", "i"}) {
    F.push_back(B.field("int", Name, 4));
    if (F.size() % 2 == 0 && F.size() < 8) // two on each of four lines
      B.field("char[56]", "pad", 56, 1);
  }
  Site Here{"__here.part", "a.c", 1}, There{"there", "a.c", 9};
  auto Add = [&](double Weight, const Site &Where, uint32_t X, uint32_t Y,
                 double Writes) {
    B.set(Weight, SetKind::Visit, CpuRelation::Local, Where,
          {{X, 1, 1, 0, Where}, {Y, 1, 1 - Writes, Writes, Where}});
  };
  Add(10, Here, F[0], F[1], 1);
  Add(4, There, F[2], F[3], 0);
  Add(3, There, F[4], F[5], 0);
  Add(0.5, There, F[6], F[7], 0); // 1 of 35 accesses: less than a twentieth
  std::vector<UsedTogether> Groups = usedTogether(B.take());
  ASSERT_EQ(Groups.size(), 3u);
  EXPECT_EQ(Groups[0].Name, "s_rw_here_part");
  EXPECT_EQ(Groups[0].Fields, (std::vector<uint32_t>{F[0], F[1]}));
  EXPECT_DOUBLE_EQ(Groups[0].Share, 20.0 / 35);
  EXPECT_EQ(Groups[1].Name, "s_read_there");
  EXPECT_EQ(Groups[1].Fields, (std::vector<uint32_t>{F[2], F[3]}));
  EXPECT_EQ(Groups[2].Name, "s_read_there_2");
  EXPECT_EQ(Groups[2].Line, 2u);
}

TEST(UsedTogether, NothingForFieldsOfDifferentVisits) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4), C = B.field("int", "c", 4);
  B.set(1, SetKind::Visit, CpuRelation::Local, {}, {{A, 1, 1, 0, {}}});
  B.set(1, SetKind::Visit, CpuRelation::Local, {}, {{C, 1, 1, 0, {}}});
  EXPECT_TRUE(usedTogether(B.take()).empty());
}

TEST(PatchText, NamesGroupsAboveAndAssertsBelowTheLine) {
  Report R = test::queueSample();
  std::string Plain = toPatchText({{&R, {}, {}}});
  EXPECT_EQ(Plain.find("cacheline group"), std::string::npos);
  std::string Text = toPatchText({{&R, {}, {{"g", "h"}, "\tASSERT(g);\n"}}});
  size_t Line = Text.find("\n---\n");
  ASSERT_NE(Line, std::string::npos);
  EXPECT_LT(Text.find("Added: markers of 2 cacheline groups, members that "
                      "occupy nothing: g, h."),
            Line);
  EXPECT_GT(Text.find("\n\tASSERT(g);\n"), Line);
  EXPECT_LT(Text.find("\n\tASSERT(g);\n"), Text.size());
}

TEST(PatchText, OfSeveralStructsIsOneMail) {
  Report R = test::queueSample(), Other = R;
  Other.Evidence.Record.Name = "other";
  std::string Text = toPatchText(
      {{&R, {"look here"}, {}}, {&Other, {}, {{"g"}, "\tASSERT(g);\n"}}});
  EXPECT_EQ(Text.find("Subject: [PATCH] Reorder fields of 2 structs by the "
                      "cache lines they share\n"),
            0u);
  EXPECT_EQ(Text.find("Subject:", 1), std::string::npos);
  size_t Line = Text.find("\n---\n");
  EXPECT_EQ(Text.find("\n---\n", Line + 1), std::string::npos);
  EXPECT_LT(Text.find("of struct other"), Line);
  EXPECT_LT(Text.find("of struct " + R.Evidence.Record.Name), Line);
  EXPECT_GT(Text.find("Note: look here"), Line);
  EXPECT_GT(Text.find("\tASSERT(g);"), Line);
}

TEST(PatchText, SaysHowItIsKnownHowOftenPathsRun) {
  Report R = test::queueSample();
  auto Text = [&] { // in one line
    std::string T = toPatchText({{&R, {}, {}}});
    std::replace(T.begin(), T.end(), '\n', ' ');
    return T;
  };
  EXPECT_NE(Text().find("estimated from the source, not measured; no workload "
                        "was run and no time was taken."),
            std::string::npos);
  ProfileCoverage Labelled, Bare;
  Labelled.Name = "/home/someone/a.kstp";
  Labelled.Text = {{"label", "ping"}, {"release", "6.1"}, {"cpus", "2"}};
  Bare.Name = "/home/someone/b.kstp";
  R.Evidence.Covered.Profiles = {Labelled, Bare};
  EXPECT_NE(Text().find("How often paths run was measured in a run of ping "
                        "(6.1, 2 CPUs), b.kstp; of paths that no run reached "
                        "or no counter saw it is estimated from the source. No "
                        "time was taken."),
            std::string::npos);
  EXPECT_EQ(Text().find("someone"), std::string::npos);
  EXPECT_EQ(Text().find("no workload was run"), std::string::npos);
  R.Evidence.Covered.Static = false;
  EXPECT_NE(Text().find("paths that no run reached count nothing."),
            std::string::npos);
}

TEST(GroupView, RiskNamesWriterAndUser) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4), C = B.field("int", "c", 4);
  Site Write{"write", "a.c", 1}, Read{"read", "a.c", 9};
  B.set(3, SetKind::Visit, CpuRelation::Local, Write, {{C, 1, 0, 1, Write}});
  B.set(1, SetKind::Visit, CpuRelation::Remote, Read, {{A, 1, 1, 0, Read}});
  Report R = B.take();
  auto Risks = sharingRisks(R, currentView(R), proposedView(R));
  ASSERT_EQ(Risks.size(), 1u);
  EXPECT_EQ(Risks[0].Written, C);
  EXPECT_EQ(Risks[0].Used, A);
  EXPECT_DOUBLE_EQ(Risks[0].Loss, 3.0 * 1 / 4);
  ASSERT_EQ(Risks[0].Writers.size(), 1u);
  EXPECT_EQ(Risks[0].Writers[0].At.Where, Write);
  EXPECT_EQ(Risks[0].Users[0].At.Where, Read);
  EXPECT_TRUE(Risks[0].StillTogether);
}

TEST(GroupView, AReaderIsNoWriter) {
  SampleBuilder B("s");
  uint32_t A = B.field("int", "a", 4), C = B.field("int", "c", 4);
  Site Write{"write", "a.c", 1}, Read{"read", "a.c", 9};
  // The reader of the written field comes first and is in a set that writes.
  B.set(3, SetKind::Visit, CpuRelation::Local, Read, {{C, 1, 5, 1, Read}});
  B.set(1, SetKind::Visit, CpuRelation::Remote, Read, {{A, 1, 1, 0, Read}});
  Report R = B.take();
  R.Evidence.Sets[0].Touches[0].Sites = {{Read, 5, 0}, {Write, 0, 1}};
  auto Risks = sharingRisks(R, currentView(R), proposedView(R));
  ASSERT_EQ(Risks.size(), 1u);
  ASSERT_EQ(Risks[0].Writers.size(), 1u);
  EXPECT_EQ(Risks[0].Writers[0].At.Where, Write);
  EXPECT_DOUBLE_EQ(Risks[0].Writers[0].At.Writes, 3);
  ASSERT_EQ(Risks[0].Users.size(), 1u);
  EXPECT_EQ(Risks[0].Users[0].At.Where, Read);
}

TEST(GroupView, PairsOnDifferentLinesAreNoRisk) {
  Report R = test::queueSample();
  LayoutView Current = currentView(R), Proposed = proposedView(R);
  for (const SharingRisk &Risk : sharingRisks(R, Current, Proposed)) {
    auto &Fields = Current.Lines[Risk.Line].Fields;
    EXPECT_TRUE(std::count(Fields.begin(), Fields.end(), Risk.Written));
    EXPECT_TRUE(std::count(Fields.begin(), Fields.end(), Risk.Used));
  }
}

} // namespace
} // namespace kst
