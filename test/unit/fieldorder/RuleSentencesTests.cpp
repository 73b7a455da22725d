// SPDX-License-Identifier: GPL-2.0-or-later

#include "ReportSamples.h"

#include "hybrid/fieldorder/Describe.h"
#include "hybrid/fieldorder/JsonReport.h"
#include "hybrid/fieldorder/PatchText.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

ConstraintNote note(const char *Id, const char *Field, const char *Why,
                    RuleStrength Strength = RuleStrength::Hard) {
  ConstraintNote Note;
  Note.Id = Id;
  Note.Field = Field;
  Note.Why = Why;
  Note.Where = {"", "a.h", 3};
  Note.Strength = Strength;
  return Note;
}

TEST(RuleSentences, SayWhatHeldWhatIsSoftAndWhatWasLifted) {
  Report R = test::queueSample();
  R.Layouts.Constraints = {
      note("cast:x", "x", "casts rely on it"),
      note("comment:y", "y", "\"keep last\"", RuleStrength::Soft),
      note("bytes:z", "z", "a block"), note("flexible:t", "t", "stays last")};
  R.Layouts.Constraints[2].Lifted = true;
  R.Layouts.Constraints[3].Unliftable = "the language";
  std::vector<std::string> Said = ruleSentences(R);
  ASSERT_EQ(Said.size(), 3u);
  EXPECT_EQ(Said[0], "Rules obeyed: 3 hold fields in place, 1 of them by "
                     "language, build or definition. By code or by a comment "
                     "that says \"must\": cast:x, x: casts rely on it "
                     "(a.h:3).");
  EXPECT_EQ(Said[1], "Obeyed without a proof that anything breaks: comment:y, "
                     "y: \"keep last\" (a.h:3).");
  EXPECT_EQ(Said[2],
            "Rules lifted with --lift-rule, NOT obeyed: bytes:z, z: a block "
            "(a.h:3). The author of the patch takes responsibility for it.");
  R.Layouts.Constraints.clear();
  EXPECT_TRUE(ruleSentences(R).empty());
}

TEST(RuleSentences, ManyRulesAreNotAllNamed) {
  Report R = test::queueSample();
  R.Layouts.Constraints = {note("cast:x", "x", "a"), note("cast:y", "y", "b"),
                           note("cast:z", "z", "c")};
  std::string Said = ruleSentences(R, 2)[0];
  EXPECT_NE(Said.find("cast:y, y: b (a.h:3); and 1 more."), std::string::npos)
      << Said;
}

TEST(RuleSentences, OpaqueUses) {
  Report R = test::queueSample();
  EXPECT_EQ(opaqueSentence(R), "");
  R.OpaqueUses = {{"uses bytes", {"f", "a.c", 3}}};
  const std::string Known = " its memory other than by members, and no rule "
                            "says which orders are legal there: ";
  EXPECT_EQ(opaqueSentence(R),
            "1 place reaches" + Known + "f() uses bytes (a.c:3).");
  R.OpaqueUses.push_back({"takes bytes", {"", "b.c", 4}});
  R.OpaqueUses.push_back({"takes bytes", {"g", "b.c", 5}});
  EXPECT_EQ(opaqueSentence(R, 2),
            "3 places reach" + Known +
                "f() uses bytes (a.c:3); takes bytes (b.c:4); and 1 more.");
}

TEST(RuleSentences, UnitsThatWereNotLookedAt) {
  UnanalyzedUsers Of{"x86",        "",   40, 3, {"net/a.c", "net/b.c"},
                     "kst -p x .", false};
  EXPECT_EQ(missedSentence(Of, false),
            "3 of 40 units that see the definition were not looked at: "
            "net/a.c, net/b.c and more. Rules in them are not known. To look "
            "at all: kst -p x .");
  EXPECT_TRUE(missedSentence(Of, true).starts_with("In x86: 3 of 40"));
  Of.Missed = 0;
  EXPECT_EQ(missedSentence(Of, false), "");
  Of.Unknown = "no list";
  EXPECT_NE(missedSentence(Of, false).find("is not known (no list)"),
            std::string::npos);
}

TEST(RuleSentences, AreInTextPatchAndJson) {
  Report R = test::queueSample();
  R.SeenBy = {{"x86", "", 40, 3, {"net/a.c"}, "kst .", true}};
  EXPECT_NE(
      toText(describe(R)).find("3 of 40 units that may see the definition"),
      std::string::npos);
  EXPECT_NE(toJson(R).find("\"not_looked_at\":3"), std::string::npos);
}

} // namespace
} // namespace kst
