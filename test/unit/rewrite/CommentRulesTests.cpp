// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/rewrite/CommentRules.h"

#include "TestRecord.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

/// "immovable field a@3 soft": one line for each rule.
std::string rules(const std::string &Text, const std::string &Fields) {
  RecordInfo Record = recordOf(Text, Fields);
  auto Of = Definition::parse(Text, Record);
  if (!Of)
    return llvm::toString(Of.takeError());
  static const char *Kinds[] = {"fence", "barrier", "join", "fixed"};
  std::string Said;
  for (const SourceRule &Rule : commentRules(*Of, Record)) {
    Said += (Said.empty() ? "" : ", ") +
            std::string(Kinds[static_cast<size_t>(Rule.Kind)]);
    for (uint32_t F : Rule.Fields)
      Said += " " + (F < Record.Fields.size() ? Record.Fields[F].Name
                                              : std::string("end"));
    Said += "@" + std::to_string(Rule.Where.Line);
    if (Rule.Strength == RuleStrength::Soft)
      Said += " soft";
  }
  return Said;
}

std::string body(const std::string &Members) {
  return "struct s {\n" + Members + "};\n";
}

TEST(CommentRules, TheNextMemberOrSoManyOrAllUpToABlankLine) {
  EXPECT_EQ(rules(body("\t/* must be first */\n\tint a;\n\tint b;\n"), "a b"),
            "fence a@2");
  EXPECT_EQ(
      rules(body("\t/* these two must be first */\n\tint a;\n\tint b; /* x "
                 "*/\n\tint c;\n"),
            "a b c"),
      "fence a@2, fence b@2");
  EXPECT_EQ(
      rules(body("\t/* do not reorder these */\n\tint a;\n\tint b;\n\n\tint "
                 "c;\n"),
            "a b c"),
      "fence a@2, fence b@2");
  EXPECT_EQ(rules(body("\tint a;\n\n\t/* on their own cache line */\n\tint b;\n"
                       "\tint c;\n\n\tint d;\n"),
                  "a b c d"),
            "join b c@4 soft");
}

TEST(CommentRules, BehindAndBelowAMember) {
  EXPECT_EQ(rules(body("\tint a; /* must be first */\n\tint b;\n"), "a b"),
            "fence a@2");
  EXPECT_EQ(
      rules(body("\tint a; // keep last\n\tint b; // KEEP LAST\n"), "a b"),
      "fence a@2 soft, fence b@3 soft");
  EXPECT_EQ(rules(body("\tint a;\n\t\t/* keep first */\n\tint b;\n"), "a b"),
            "fence a@3 soft");
  EXPECT_EQ(rules(body("\tint x;\n\n\tint a;\n\tint b;\n\t/* The above should "
                       "fit one cache line */\n\n\tint c;\n"),
                  "x a b c"),
            "join a b@6 soft");
}

TEST(CommentRules, NeighboursAreJoined) {
  EXPECT_EQ(rules(body("\tint a;\n\tint b; /* must follow a_x */\n"), "a b"),
            "");
  EXPECT_EQ(rules(body("\tint a_x;\n\tint b; /* must follow a_x */\n\tint "
                       "c;\n"),
                  "a_x b c"),
            "join a_x b@3");
  EXPECT_EQ(rules(body("\tint a;\n\t/* b_x must immediately follow */\n\tint "
                       "c;\n\tint b_x;\n"),
                  "a c b_x"),
            "join c b_x@3");
}

TEST(CommentRules, NamedMembersWhereverTheyAre) {
  EXPECT_EQ(rules(body("\tint a;\n\t/* don't reorder a_x and @b_x */\n\tint "
                       "c;\n\tint a_x;\n\tint b_x;\n"),
                  "a c a_x b_x"),
            "fence a_x@3, fence b_x@3");
}

TEST(CommentRules, AboveTheStruct) {
  EXPECT_EQ(rules("/**\n * struct s - things\n * @a: the list; must be first\n"
                  " * @b: count, protected by\n *\tthe lock\n */\n" +
                      body("\tint a;\n\tint b;\n"),
                  "a b"),
            "fence a@3");
  EXPECT_EQ(
      rules("/* Same layout as struct t. */\n" + body("\tint a;\n\tint b;\n"),
            "a b"),
      "fixed@1 soft");
  EXPECT_EQ(rules("/* Must match struct t in a_x only. */\n" +
                      body("\tint a_x;\n\tint b;\n"),
                  "a_x b"),
            "fence a_x@1");
  // About those who embed it, and advice.
  EXPECT_EQ(
      rules("/* must be first in its user */\n" + body("\tint a;\n"), "a"), "");
  EXPECT_EQ(
      rules("/* hot things share a single cache line */\n" + body("\tint a;\n"),
            "a"),
      "");
  // Not directly above.
  EXPECT_EQ(rules("/* do not reorder */\n\nint x;\n" + body("\tint a;\n"), "a"),
            "");
}

TEST(CommentRules, TheWholeStructFromWithin) {
  EXPECT_EQ(rules(body("\t/* Do not change the layout of this struct */\n\n"
                       "\tint a;\n\tint b;\n"),
                  "a b"),
            "");
  EXPECT_EQ(rules(body("\t/* Do not change the layout of this struct */\n"
                       "\tint a;\n\tint b;\n"),
                  "a b"),
            "fixed@2");
}

TEST(CommentRules, APlaceWithNobodyBelow) {
  EXPECT_EQ(rules(body("\tint a;\n\n\t/* keep last */\n\n\tint b;\n"), "a b"),
            "barrier b@4 soft");
  EXPECT_EQ(
      rules(body("\tint a;\n\t/* Do not put anything below here */\n"), "a"),
      "barrier end@3");
  // At the very front: nothing comes before the first member.
  EXPECT_EQ(
      rules(body("\t/* The first cache line is for lookup. */\n\n\tint a;\n"
                 "\tint b;\n"),
            "a b"),
      "fence a@2 soft");
}

TEST(CommentRules, InsideAMember) {
  std::string Open = "\tunion {\n\t\tstruct {\n\t\t\t/* must be first */\n"
                     "\t\t\tint x;\n\t\t};\n\t\tint y;\n\t};\n\tint b;\n";
  EXPECT_EQ(rules(body(Open), "x|y@2 b"), "fence x|y@4");
  std::string Named = "\tstruct {\n\t\t/* must be first */\n\t\tint x;\n\t} "
                      "in;\n\tint b;\n";
  EXPECT_EQ(rules(body(Named), "in b"), "");
  EXPECT_EQ(rules(body("\tint b;\n" + Open), "b x|y@3"), "");
}

TEST(CommentRules, IdsAndWords) {
  std::string Text = body("\tint a;\n\t/* b must\n\t * be last */\n\tint b;\n");
  RecordInfo Record = recordOf(Text, "a b");
  std::vector<SourceRule> Rules = rulesOfText(Text, Record);
  ASSERT_EQ(Rules.size(), 1u);
  EXPECT_EQ(Rules[0].Id, "comment:b");
  EXPECT_EQ(Rules[0].Why, "\"b must be last\"");
  EXPECT_EQ(Rules[0].Where.File, "include/s.h");
  EXPECT_EQ(Rules[0].Where.Line, 3u);
  EXPECT_EQ(Rules[0].Unliftable, "");
}

} // namespace
