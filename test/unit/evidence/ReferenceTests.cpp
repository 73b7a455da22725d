// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/LinePlaces.h"
#include "hybrid/evidence/Reference.h"
#include "test/unit/evidence/MeasuredProgram.h"

namespace kst {
namespace {

// Lines are counted from that of the function's name.
const char *const Source = R"(
struct s { long a, b, c, d; };
void rare(struct s *p) { p->d = 1; }
void both(struct s *p, int n)
{
  p->a++;
  if (n & 4)
    p->b++;
  if (n & 8)
    rare(p);
}
void never(struct s *p) { p->c++; }
)";

class Runs {
public:
  explicit Runs(const MeasuredProgram &Of) : Of(Of) {}
  Runs &entries(const std::string &Function, uint64_t Count) {
    return add(Function, SiteKind::Entry, 0, Count);
  }
  Runs &line(const std::string &Function, int32_t Line, uint64_t Count) {
    return add(Function, SiteKind::Line, uint32_t(Line), Count);
  }
  Profile made() {
    auto Made = Out.finish();
    EXPECT_TRUE(Made);
    return std::move(*Made);
  }
  FunctionId id(const std::string &Name) const {
    for (FunctionId Id = 0; Id != Of.Whole->Functions.size(); ++Id)
      if (Of.Whole->text(Of.Whole->Functions[Id].Unit,
                         Of.Whole->Functions[Id].Fact->Name) == Name)
        return Id;
    return None;
  }

private:
  Runs &add(const std::string &Function, SiteKind Kind, uint32_t Line,
            uint64_t Count) {
    MeasuredSite Site;
    Site.Function = Out.text(Function);
    Site.Kind = Kind;
    Site.Line = Line;
    Site.Count = Count;
    Out.site(Site);
    return *this;
  }
  const MeasuredProgram &Of;
  ProfileBuilder Out;
};

TEST(Reference, RatesAndLinesTakeTheEstimatesPlace) {
  MeasuredProgram Of(Source);
  Runs Ran(Of);
  Ran.entries("both", 100000).entries("rare", 100).entries("never", 0);
  Ran.line("both", 2, 100000).line("both", 4, 90000).line("both", 6, 100);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  const FunctionId Both = Ran.id("both"), Rare = Ran.id("rare"),
                   Never = Ran.id("never");
  EXPECT_NEAR(Made.Often.Total[Both], 100000, 1000);
  EXPECT_NEAR(Made.Often.Total[Rare], 100, 10);
  EXPECT_LT(Made.Often.Total[Never], 0.1 * Made.Often.Total[Both]);
  EXPECT_GT(Made.Often.Total[Never], 0);
  EXPECT_GT(Made.Referenced[Both], 0.99);
  EXPECT_EQ(Made.Referenced[Never], 0);

  Result<AffinityEvidence> Found = staticEvidence(*Of.Whole, Made, "s");
  ASSERT_TRUE(Found);
  for (const CoAccessSet &Set : Found->Sets)
    if (Set.Where.Function == "both")
      for (const FieldTouch &T : Set.Touches)
        if (T.Field == Of.field("b")) {
          EXPECT_NEAR(T.Probability, 0.9, 0.01);
        } else if (T.Field == Of.field("d")) {
          EXPECT_NEAR(T.Probability, 0.001, 0.0005);
        }
}

TEST(Reference, OfAnotherProgramChangesNothing) {
  MeasuredProgram Of(Source);
  const Profile Other = Runs(Of).entries("strange", 5).made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Other, 1});
  EXPECT_EQ(Made.Often.Total, Of.Static->Often.Total);
  EXPECT_TRUE(Made.Referenced.empty());
}

TEST(Reference, APriorThatTheUsersCountsOutweigh) {
  MeasuredProgram Of(Source);
  const Profile Reference =
      Runs(Of).entries("both", 1000).entries("never", 1000).made();
  const Profile User =
      Runs(Of).entries("both", 5000).entries("never", 0).made();
  const Estimate Prior = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  ProfileMatcher Matcher(*Of.Whole, Of.Whole->recordsNamed("s").front());
  const MatchedProfile Matched = Matcher.match(User, {});
  const double One = 1;
  const MeasuredCode Code =
      measuredCode(*Of.Whole, Prior, {&Matched, 1}, {&One, 1},
                   Matcher.accessBlocks(), MergeOptions());
  const Runs Names(Of);
  EXPECT_NEAR(Code.Often.Total[Names.id("both")], 5000, 50);
  EXPECT_LT(Code.Often.Total[Names.id("never")], 0.1 * 5000);
}

TEST(Reference, OfAFileOfWhichNothingRan) {
  MeasuredProgram Of(Source);
  Runs Ran(Of);
  Ran.entries("both", 1000).line("both", 2, 1000);
  ProfileBuilder More;
  const FunctionId Never = Ran.id("never");
  MeasuredSite Site;
  Site.File = More.text(Of.Whole->text(Of.Whole->Functions[Never].Unit,
                                       Of.Whole->Functions[Never].Fact->File));
  Site.Kind = SiteKind::Entry;
  More.site(Site);
  Site.Function = More.text("both");
  Site.Count = 1000;
  More.site(Site);
  const Profile Dead = std::move(*More.finish());
  const Profile Alone = Ran.made();
  const Estimate With = withReference(*Of.Whole, *Of.Static, {&Dead, 1}),
                 Without = withReference(*Of.Whole, *Of.Static, {&Alone, 1});
  EXPECT_LT(With.Often.Total[Never] / With.Often.Total[Ran.id("both")],
            0.5 * Without.Often.Total[Never] /
                Without.Often.Total[Ran.id("both")]);
}

TEST(Reference, ATargetThatNoKernelHadGetsAnEvenShareOfATablesCalls) {
  MeasuredProgram Of(R"(
struct s { long a, b, c; };
struct ops { void (*go)(struct s *p); };
static void often(struct s *p) { p->a++; }
static void seldom(struct s *p) { p->b++; }
static void strange(struct s *p) { p->c++; }
const struct ops first = {.go = often};
const struct ops second = {.go = seldom};
const struct ops third = {.go = strange};
void work(struct s *p, const struct ops *o) { o->go(p); }
void other(struct s *p) { for (int i = 0; i < 50; i++) strange(p); }
)");
  Runs Ran(Of);
  // What is left of the calls went to a target that was not analysed.
  Ran.entries("work", 90000).entries("often", 900).entries("seldom", 100);
  Ran.entries("other", 0);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  const FunctionId Strange = Ran.id("strange");
  EXPECT_TRUE(Made.Code.unseen()[Strange]);
  EXPECT_FALSE(Made.Code.unseen()[Ran.id("seldom")]);
  EXPECT_NEAR(Made.Often.Total[Strange], 30000, 6000); // other() adds some
  EXPECT_NEAR(Made.Often.Total[Ran.id("often")], 900, 10);
}

/// As many as a regression needs: f0 to f29, each a hundred times.
void countThirty(Runs &Ran) {
  for (int I = 0; I != 30; ++I)
    Ran.entries("f" + std::to_string(I), 100);
}

TEST(Reference, UnseenCodeIsExpectedAsOftenAsEstimatesHeld) {
  std::string Text = "struct s { long a, b; };\n";
  // Thirty functions that ran a hundred times, whatever the source says.
  for (int I = 0; I != 30; ++I)
    Text += "void f" + std::to_string(I) + "(struct s *p) { p->a++; }\n" +
            "void c" + std::to_string(I) +
            "(struct s *p) { for (int i = 0; i < " + std::to_string(1 + 3 * I) +
            "; i++) f" + std::to_string(I) + "(p); }\n";
  Text +=
      "void strange(struct s *p) { p->b++; }\n"
      "void from(struct s *p) { for (int i = 0; i < 60; i++) for (int k = 0; "
      "k < 60; k++) strange(p); }\n";
  MeasuredProgram Of(Text.c_str());
  Runs Ran(Of);
  countThirty(Ran);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  EXPECT_NEAR(Made.Often.Total[Ran.id("f29")], 100, 5);
  EXPECT_GT(Made.Often.Total[Ran.id("strange")], 1);
  EXPECT_LE(Made.Often.Total[Ran.id("strange")], 120)
      << "60 * 60 a call of from()";
}

/// What share of the accesses to s are to b.
double shareOfB(const MeasuredProgram &Of, const AffinityEvidence &Found) {
  double Sum = 0;
  for (const FieldUse &Use : Found.Fields)
    Sum += Use.total();
  return Found.Fields[Of.field("b")].total() / Sum;
}

TEST(Reference, VisitsOfUnseenCodeMakeAFifthAtMostWhoeverCallsIt) {
  std::string Text = "struct s { long a, b; };\n";
  for (int I = 0; I != 40; ++I)
    Text +=
        "void f" + std::to_string(I) + "(struct s *p) { p->a++; p->a = 2; }\n";
  Text += "static void strange(struct s *p) { p->b++; }\n"
          "static void middle(struct s *p) { for (int i = 0; i < 60; i++) "
          "strange(p); }\n"
          "void counted(struct s *p) { for (int i = 0; i < 60; i++) middle(p); "
          "}\n"
          "void from(struct s *p) { for (int i = 0; i < 60; i++) middle(p); "
          "}\n";
  MeasuredProgram Of(Text);
  Runs Ran(Of);
  countThirty(Ran);
  Ran.entries("counted", 10);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  Result<AffinityEvidence> Found = staticEvidence(*Of.Whole, Made, "s");
  ASSERT_TRUE(Found);
  EXPECT_GT(shareOfB(Of, *Found), 0.01);
  EXPECT_LE(shareOfB(Of, *Found), 0.25);
  // The user's own counts do not bring it back.
  Runs Users(Of);
  countThirty(Users);
  Users.entries("counted", 10);
  const Profile User = Users.made();
  const std::vector<WeightedProfile> Profiles{{"user.kstp", &User, 1}};
  Found = MergedSource(*Of.Whole, Made, Profiles).evidence("s");
  ASSERT_TRUE(Found) << Found.error();
  EXPECT_LE(shareOfB(Of, *Found), 0.25);
}

TEST(Reference, WhatOnlyTheReferenceCountedStays) {
  MeasuredProgram Of("struct s { long a, b; };\n"
                     "void ran(struct s *p) { p->a++; }\n"
                     "void elsewhere(struct s *p) { p->b++; }\n");
  const Profile Reference =
      Runs(Of).entries("ran", 1000).entries("elsewhere", 1000).made();
  const Profile User = Runs(Of).entries("ran", 500).made();
  const Estimate Prior = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  const std::vector<WeightedProfile> Profiles{{"user.kstp", &User, 1}};
  Result<AffinityEvidence> Found =
      MergedSource(*Of.Whole, Prior, Profiles).evidence("s");
  ASSERT_TRUE(Found) << Found.error();
  EXPECT_GT(shareOfB(Of, *Found), 0.2);
}

TEST(Reference, ACountedTargetThatNeverRanGetsNoCalls) {
  MeasuredProgram Of(R"(
struct s { long a, b; };
struct ops { void (*go)(struct s *p); };
static void idle(struct s *p) { p->a++; }
static void strange(struct s *p) { p->b++; }
const struct ops first = {.go = idle};
const struct ops second = {.go = strange};
void work(struct s *p, const struct ops *o) { o->go(p); }
)");
  Runs Ran(Of);
  Ran.entries("work", 1000).entries("idle", 0);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  EXPECT_LT(Made.Often.Total[Ran.id("idle")], 50);
  EXPECT_GT(Made.Often.Total[Ran.id("strange")], 100);
}

TEST(Reference, CallsOfUnseenCodeAddWhatIsExpectedOfIt) {
  std::string Text = "struct s { long a, b; };\n"
                     "void counted(struct s *p) { p->b++; }\n";
  for (int I = 0; I != 30; ++I)
    Text += "void f" + std::to_string(I) + "(struct s *p) { p->a++; }\n";
  Text += "void strange(struct s *p) { p->a++; for (int i = 0; i < 60; i++) "
          "counted(p); }\n"
          "void from(struct s *p) { for (int i = 0; i < 60; i++) strange(p); "
          "}\n";
  MeasuredProgram Of(Text.c_str());
  Runs Ran(Of);
  countThirty(Ran);
  Ran.entries("counted", 7);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  const double Strange = Made.Often.Total[Ran.id("strange")],
               Counted = Made.Often.Total[Ran.id("counted")];
  EXPECT_GT(Strange, 0);
  EXPECT_LE(Strange, 120);
  EXPECT_GT(Counted, 7 + 10 * Strange) << "calls in a loop";
  EXPECT_LE(Counted, 7 + 70 * Strange);
}

TEST(Reference, AHeadersFunctionRunsAsItsCallersHere) {
  MeasuredProgram Of(R"(
#include "part.h"
void work(struct s *p, int n) { p->a++; if (n) add(p); }
)",
                     "struct s { long a, b; };\n"
                     "static inline void add(struct s *p) { p->b++; }\n");
  Runs Ran(Of);
  Ran.entries("work", 1000).entries("add", 1000000).line("work", 0, 1000);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  EXPECT_NEAR(Made.Often.Total[Ran.id("work")], 1000, 10);
  EXPECT_LE(Made.Often.Total[Ran.id("add")], 1010);
}

TEST(LinePlaces, OfABlockTheLineThatRanLeast) {
  MeasuredProgram Of(Source);
  const FunctionId Both = Runs(Of).id("both");
  const auto Blocks =
      blocksOfLines(*Of.Whole, Both, {{2, 1, 10.0}, {3, 2, 3.0}});
  ASSERT_EQ(Blocks.size(), 2u);
  std::vector<double> Counts{Blocks[0].second, Blocks[1].second};
  std::ranges::sort(Counts);
  EXPECT_EQ(Counts, (std::vector<double>{3, 10}));
}

TEST(LinePlaces, ALineTellsNothingOfItsRarerBlocks) {
  MeasuredProgram Of(R"(
struct s { long a, b; };
void rare(struct s *p) { p->b = 1; }
void work(struct s *p) { if (__builtin_expect(p->a, 0)) rare(p); }
)");
  const FunctionId Work = Runs(Of).id("work");
  EXPECT_EQ(blocksOfLines(*Of.Whole, Work, {{0, 1, 10.0}}).size(), 1u);
  // But that none of them ran.
  EXPECT_EQ(blocksOfLines(*Of.Whole, Work, {{0, 1, 0.0}}).size(), 2u);
}

TEST(Reference, WhatIsInNoLoopRunsOnceACallAtMost) {
  MeasuredProgram Of(R"(
struct s { long a, b; };
static void leaf(struct s *p) { p->b = 1; }
void work(struct s *p)
{
  leaf(p);
}
)");
  Runs Ran(Of);
  Ran.entries("work", 100000).line("work", 2, 600000);
  const Profile Reference = Ran.made();
  const Estimate Made = withReference(*Of.Whole, *Of.Static, {&Reference, 1});
  EXPECT_NEAR(Made.Often.Total[Ran.id("leaf")] /
                  Made.Often.Total[Ran.id("work")],
              1, 0.1);
}

} // namespace
} // namespace kst
