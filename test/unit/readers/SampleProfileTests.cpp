// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/SampleProfile.h"

#include "hybrid/profile/ProfileCheck.h"
#include "passes/readers/SampleNames.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

using namespace kst;

namespace {

/// (file, name): entries, and the line of the name.
using Entries = std::map<std::pair<std::string, std::string>,
                         std::pair<uint64_t, uint32_t>>;
/// (file, name, line from that of the name): runs.
using Lines = std::map<std::tuple<std::string, std::string, int32_t>, uint64_t>;

struct Reading {
  explicit Reading(const std::string &Text,
                   const FunctionCode *Program = nullptr)
      : Read(readSampleProfile(Text, "x.afdo", Program)) {
    if (!Read)
      return;
    const Profile &P = Read->What;
    EXPECT_FALSE(checkProfile(P));
    for (const MeasuredSite &Site : P.Sites) {
      const std::string &File = P.text(Site.File),
                        &Name = P.text(Site.Function);
      if (Site.Kind == SiteKind::Entry)
        Entered[{File, Name}] = {Site.Count, Site.Line};
      else if (Site.Kind == SiteKind::Line)
        Ran[{File, Name, int32_t(Site.Line)}] = Site.Count;
      else
        ADD_FAILURE() << "a site of another kind";
    }
  }
  std::string error() { return llvm::toString(Read.takeError()); }

  llvm::Expected<SampleProfile> Read;
  Entries Entered;
  Lines Ran;
};

FunctionCode programOf(std::vector<CodeFunction> Functions) {
  FunctionCode Out;
  Out.Functions = std::move(Functions);
  return Out;
}

TEST(SampleProfile, TakesOfALineTheHottestBlock) {
  Reading R("f:500:9\n 1: 9\n 2: 30\n 2.1: 50\n 2.2: 40\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"", "f"}, {9, 0}}}));
  EXPECT_EQ(R.Ran, (Lines{{{"", "f", 1}, 9}, {{"", "f", 2}, 50}}));
}

TEST(SampleProfile, AddsTheCopiesOfAFunction) {
  // leaf: out of line 4 times, inlined 10 times at one place, 6 at another.
  Reading R("a:100:10\n 1: 10\n 2: leaf:20\n  1: 10\n  2: 70\n"
            "b:100:6\n 1: 6\n 3: leaf:20\n  1: 6\n  2: 5\n"
            "leaf:12:4\n 1: 4\n 2: 8\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Read->Inlined, 2u);
  EXPECT_EQ(R.Read->Functions, 3u);
  EXPECT_EQ(R.Entered, (Entries{{{"", "a"}, {10, 0}},
                                {{"", "b"}, {6, 0}},
                                {{"", "leaf"}, {20, 0}}}));
  EXPECT_EQ(R.Ran, (Lines{{{"", "a", 1}, 10},
                          {{"", "a", 2}, 10},
                          {{"", "b", 1}, 6},
                          {{"", "b", 3}, 6},
                          {{"", "leaf", 1}, 20},
                          {{"", "leaf", 2}, 83}}));
}

TEST(SampleProfile, SeesCallsWithinInlinedCode) {
  // a calls mid, which calls leaf: both inlined. The second line of mid has no
  // code but the inlined call.
  Reading R(
      "a:9:3\n 1: 3\n 1: mid:9\n  1: 3\n  2: leaf:6\n   1: 5\n   2: 40\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ((R.Entered[{"", "mid"}].first), 3u);
  EXPECT_EQ((R.Entered[{"", "leaf"}].first), 5u);
  EXPECT_EQ((R.Ran[{"", "mid", 2}]), 5u);
  EXPECT_EQ((R.Ran[{"", "leaf", 2}]), 40u);
}

TEST(SampleProfile, AddsPromotedCallsOfOnePlace) {
  // One indirect call that became two inlined direct ones, and a rest.
  Reading R(
      "a:99:50\n 1: 50\n 2: 10 c:10\n 2: x:30\n  1: 30\n 2: y:10\n  1: 10\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ((R.Ran[{"", "a", 2}]), 40u);
  EXPECT_EQ((R.Entered[{"", "c"}].first), 10u);
}

TEST(SampleProfile, TakesCallTargetsForEntries) {
  // 70 calls of quiet were seen; nothing else of it. Of known its head was
  // sampled more often than its calls. headless has no head, but calls.
  Reading R("a:99:90\n 1: 90 quiet:70 known:20\n 2: 8 headless:5\n"
            "known:40:30\n 1: 40\n"
            "headless:40:0\n 1: 40\n"
            "alone:40:0\n 1: 33\n 2: 44\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ((R.Entered[{"", "quiet"}].first), 70u);
  EXPECT_EQ((R.Entered[{"", "known"}].first), 30u);
  EXPECT_EQ((R.Entered[{"", "headless"}].first), 5u);
  EXPECT_EQ((R.Entered[{"", "alone"}].first), 33u);
}

TEST(SampleProfile, LinesBeforeTheNameAreNegative) {
  Reading R("f:5:5\n 65534: 5\n 1: 5\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Ran, (Lines{{{"", "f", -2}, 5}, {{"", "f", 1}, 5}}));
  // There is no line 0.
  const auto Program = programOf({{"f", "a.c", 2}});
  Reading P("f:5:5\n 65534: 5\n 65535: 4\n 1: 5\n", &Program);
  ASSERT_TRUE(bool(P.Read)) << P.error();
  EXPECT_EQ(P.Ran, (Lines{{{"a.c", "f", -1}, 4}, {{"a.c", "f", 1}, 5}}));
}

TEST(SampleProfile, JoinsPiecesAndClones) {
  // Branches to f.cold and f.part.0 are no entries of f.
  Reading R("f:10:7\n 1: 7\nf.cold:3:2\n 9: 2\nf.part.0:3:3\n 5: 3\n"
            "f.llvm.123:10:1\n 1: 1\nf.isra.0.constprop.2:10:4\n 1: 4\n"
            "rest.part.3:10:6\n 1: 6\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"", "f"}, {12, 0}}, {{"", "rest"}, {6, 0}}}));
  EXPECT_EQ((R.Ran[{"", "f", 1}]), 12u);
  EXPECT_EQ((R.Ran[{"", "f", 9}]), 2u);
}

TEST(SampleProfile, FindsFilesInTheProgram) {
  const auto Program = programOf({{"f", "k/a.c", 12},
                                  {"g", "k/a.c", 40},
                                  {"help", "k/b.h", 3},
                                  {"never", "k/a.c", 60}});
  Reading R("f:10:7\n 1: 7\n 2: help:3\n  1: 7\nmodule_f:4:4\n 1: 4\n",
            &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"k/a.c", "f"}, {7, 12}},
                                {{"k/a.c", "g"}, {0, 40}},
                                {{"k/b.h", "help"}, {7, 3}},
                                {{"k/a.c", "never"}, {0, 60}},
                                {{"", "module_f"}, {4, 0}}}));
  EXPECT_EQ((R.Ran[{"k/b.h", "help", 1}]), 7u);
  EXPECT_EQ(R.Read->NotInProgram, 1u);
  EXPECT_EQ(R.Read->Functions, 3u);
}

TEST(SampleProfile, LinesWithCodeAndNoSampleDidNotRun) {
  auto Program = programOf({{"f", "a.c", 12}, {"never", "a.c", 60}});
  Program.Copies = {{0, 0x100}, {0, 0x200}, {1, 0x300}};
  Program.Stretches = {{0x100, 0x104, 0, 12}, {0x104, 0x108, 0, 14},
                       {0x200, 0x204, 1, 13}, {0x204, 0x208, 1, 14},
                       {0x208, 0x20c, 1, 11}, {0x300, 0x304, 2, 61}};
  Reading R("f:10:7\n 1: 7\n 4: 2\n", &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Ran, (Lines{{{"a.c", "f", -1}, 0},
                          {{"a.c", "f", 0}, 0},
                          {{"a.c", "f", 1}, 7},
                          {{"a.c", "f", 2}, 0},
                          {{"a.c", "f", 4}, 2}}));
  EXPECT_EQ((R.Entered[{"a.c", "never"}].first), 0u);
}

TEST(SampleProfile, DoesNotMixFunctionsOfOneName) {
  const auto Program = programOf({{"show", "a.c", 1},
                                  {"show", "b.c", 5},
                                  {"in_a", "a.c", 10},
                                  {"in_c", "c.c", 10}});
  // Inlined into a.c it is that of a.c; into c.c, and alone, any of them.
  Reading R("in_a:30:5\n 1: 5\n 2: show:5\n  1: 5\n"
            "in_c:30:5\n 1: 5\n 2: show:5\n  1: 15\n"
            "show:70:7\n 1: 70\n",
            &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"a.c", "show"}, {5, 1}},
                                {{"a.c", "in_a"}, {5, 10}},
                                {{"c.c", "in_c"}, {5, 10}}}))
      << "show of b.c may have run";
  EXPECT_EQ(R.Read->Several, std::vector<std::string>{"show"});
  // in_a 5 + 5, in_c 5 + 15, show 5 + 85.
  EXPECT_DOUBLE_EQ(R.Read->SeveralShare, 85. / 120);
}

TEST(SampleProfile, AssemblyIsNotInlined) {
  const auto Program =
      programOf({{"save", "a.h", 17}, {"save", "a.S", 0}, {"f", "f.c", 3}});
  Reading R("f:5:5\n 1: save:4\n  1: 4\n", &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ((R.Entered[{"a.h", "save"}].first), 4u);
  Reading Alone("f:5:5\n 1: 5\nsave:5:5\n 1: 5\n", &Program);
  ASSERT_TRUE(bool(Alone.Read)) << Alone.error();
  EXPECT_EQ(Alone.Read->Several, std::vector<std::string>{"save"});
}

TEST(SampleProfile, FunctionsOfOneFileAreOne) {
  const auto Program = programOf({{"save", "a.h", 17}, {"save", "a.h", 18}});
  Reading R("save:5:5\n 1: 5\n", &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"a.h", "save"}, {5, 18}}}));
  EXPECT_EQ(R.Read->Several.size(), 0u);
}

// What clang 19 calls `static int foo(int)` of -c sub/u.c; the number is the
// MD5 of "sub/u.c".
constexpr char Unique[] =
    "_ZL3fooi.__uniq.194403335109160534321894582392588316511";

TEST(SampleProfile, FindsTheUnitOfAUniqueName) {
  const auto Program =
      programOf({{"foo", "other/u.c", 1}, {"foo", "/top/sub/u.c", 5}});
  Reading R(std::string(Unique) + ".llvm.77:70:7\n 1: 70\n", &Program);
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"/top/sub/u.c", "foo"}, {7, 5}},
                                {{"other/u.c", "foo"}, {0, 1}}}));
}

TEST(SampleProfile, KeepsUniqueNamesApartWithoutAProgram) {
  Reading R(std::string(Unique) + ":70:7\n 1: 70\nfoo.__uniq.12:30:7\n 1: 30\n"
                                  "bar.__uniq.12:30:7\n 1: 100\n");
  ASSERT_TRUE(bool(R.Read)) << R.error();
  EXPECT_EQ(R.Entered, (Entries{{{"", "bar"}, {7, 0}}}));
  EXPECT_EQ(R.Read->Several, std::vector<std::string>{"foo"});
  EXPECT_DOUBLE_EQ(R.Read->SeveralShare, 0.5);
}

TEST(SampleProfile, SaysWhyNot) {
  Reading Empty("");
  ASSERT_FALSE(bool(Empty.Read));
  EXPECT_TRUE(Empty.error().starts_with("x.afdo: "));
  Reading Broken("f:10:7\n 1 7\n");
  ASSERT_FALSE(bool(Broken.Read));
  EXPECT_TRUE(Broken.error().starts_with("x.afdo: "));
  Reading Huge("f:10:18446744073709551615\n 1: 18446744073709551615\n");
  ASSERT_FALSE(bool(Huge.Read));
  EXPECT_EQ(Huge.error(), "x.afdo: a count of f does not fit 64 bits");
  Reading None("foo.__uniq.1:30:7\n 1: 30\nfoo:30:7\n 1: 30\n");
  ASSERT_FALSE(bool(None.Read));
  EXPECT_EQ(None.error(),
            "x.afdo: has no samples of functions with a name that is known");
}

TEST(SampledSymbol, LosesWhatCompilersAdd) {
  auto Of = [](llvm::StringRef Symbol) { return sampledSymbol(Symbol); };
  EXPECT_EQ(Of("f").Name, "f");
  EXPECT_EQ(Of("f.cold").Name, "f");
  EXPECT_TRUE(Of("f.cold.3").Part);
  EXPECT_EQ(Of("f.part.0.isra.1.llvm.99").Name, "f");
  EXPECT_EQ(Of("f.lto_priv.0").Name, "f");
  EXPECT_FALSE(Of("f.isra.0").Part);
  EXPECT_EQ(Of("f.isra").Name, "f.isra") << "a number is missing";
  EXPECT_EQ(Of("f.1").Name, "f.1");
  EXPECT_EQ(Of(".cold").Name, ".cold");
  EXPECT_EQ(Of("_Z1fv").Name, "_Z1fv") << "the source may call it so";
  EXPECT_EQ(Of(Unique).Name, "foo");
}

} // namespace
