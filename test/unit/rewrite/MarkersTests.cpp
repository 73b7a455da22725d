// SPDX-License-Identifier: GPL-2.0-or-later
//
// Group markers: text in, fields of the groups, text out.

#include "TestRecord.h"
#include "analyzer/rewrite/Markers.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

struct Case {
  const char *Name;
  const char *Fields; ///< of the text, in order
  const char *Groups; ///< "NAME:FIELD FIELD;NAME:..."
  const char *Text;
  const char *Wanted;
};

std::string body(llvm::StringRef Text) {
  return "struct s {\n" + Text.str() + "};\n";
}

/// `[NAME` on a line of its own begins a group, `]NAME` ends it.
std::string marked(llvm::StringRef Text) {
  std::string Made;
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  Lines.pop_back();
  for (llvm::StringRef Line : Lines) {
    if (Line.consume_front("["))
      Made += "\t__cacheline_group_begin(" + Line.str() + ");\n";
    else if (Line.consume_front("]"))
      Made += "\t__cacheline_group_end(" + Line.str() + ");\n";
    else
      Made += Line.str() + "\n";
  }
  return Made;
}

RecordInfo recordWithMarkers(const std::string &Text, const char *Fields) {
  RecordInfo Record = recordOf(Text, Fields);
  for (FieldInfo &Field : Record.Fields)
    Field.ZeroSize = llvm::StringRef(Field.Name).starts_with("__cacheline");
  return Record;
}

std::vector<WantedGroup> groupsOf(const RecordInfo &Record,
                                  llvm::StringRef Words) {
  std::vector<WantedGroup> Groups;
  llvm::SmallVector<llvm::StringRef> Each;
  Words.split(Each, ';', -1, false);
  for (llvm::StringRef One : Each) {
    auto [Name, Fields] = One.split(':');
    llvm::SmallVector<llvm::StringRef> Members;
    Fields.split(Members, ' ', -1, false);
    WantedGroup Group{Name.str(), {}};
    for (uint32_t F = 0; F != Record.Fields.size(); ++F)
      for (llvm::StringRef Member : Members)
        if (Record.Fields[F].Name == Member)
          Group.Fields.push_back(F);
    Groups.push_back(Group);
  }
  return Groups;
}

class MarkersTable : public ::testing::TestWithParam<Case> {};

TEST_P(MarkersTable, GivesTheText) {
  const Case &C = GetParam();
  std::string Text = body(marked(C.Text));
  RecordInfo Record = recordWithMarkers(Text, C.Fields);
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  MarkedText Made = insertMarkers(*Of, Record, groupsOf(Record, C.Groups));
  EXPECT_EQ(Made.Text, body(marked(C.Wanted)));
  bool Unchanged = Made.Text == Text;
  EXPECT_EQ(Made.Groups.empty(), Unchanged);
  if (Unchanged) {
    EXPECT_FALSE(Made.Notes.empty());
  }
}

const Case Table[] = {
    {"around a run", "a b c d", "g:b c",
     "\tint a;\n\tint b;\n\tint c;\n\tint d;\n",
     "\tint a;\n[g\n\tint b;\n\tint c;\n]g\n\tint d;\n"},
    {"at the end of the struct", "a b c", "g:b c",
     "\tint a;\n\n\tint b;\n\tint c;\n",
     "\tint a;\n\n[g\n\tint b;\n\tint c;\n]g\n"},
    {"what lies between is inside, what lies around is not", "a b c d e",
     "g:b d", "\tint a;\n\tint b;\n\tint c;\n\tint d;\n\tint e;\n",
     "\tint a;\n[g\n\tint b;\n\tint c;\n\tint d;\n]g\n\tint e;\n"},
    {"comments of the first and the last are inside", "a b c d", "g:b c",
     "\tint a;\n\n\t/* about b */\n\tint b;\n\n\tint c;\n"
     "\t\t\t/* about c */\n\t/* about d */\n\tint d;\n",
     "\tint a;\n\n[g\n\t/* about b */\n\tint b;\n\n\tint c;\n"
     "\t\t\t/* about c */\n]g\n\t/* about d */\n\tint d;\n"},
    {"a comment that belongs to nobody stays outside", "a b c", "g:b c",
     "\tint a;\n\n\t/* a chapter */\n\n\tint b;\n\tint c;\n",
     "\tint a;\n\n\t/* a chapter */\n\n[g\n\tint b;\n\tint c;\n]g\n"},
    {"a whole #if is inside", "a b c d", "g:b c",
     "\tint a;\n#ifdef X\n\tint b;\n#endif\n\tint c;\n\tint d;\n",
     "\tint a;\n[g\n#ifdef X\n\tint b;\n#endif\n\tint c;\n]g\n\tint d;\n"},
    {"a comment above an #if of one is inside", "a b c", "g:b c",
     "\tint a;\n\n\t/* about b */\n#ifdef X\n\tint b;\n#endif\n\tint c;\n",
     "\tint a;\n\n[g\n\t/* about b */\n#ifdef X\n\tint b;\n#endif\n\tint "
     "c;\n]g\n"},
    {"half an #if is outside", "a b c d e", "g:c d e",
     "\tint a;\n#ifdef X\n\tint b;\n\tint c;\n#endif\n\tint d;\n\tint e;\n",
     "\tint a;\n#ifdef X\n\tint b;\n\tint c;\n#endif\n[g\n\tint d;\n\tint "
     "e;\n]g\n"},
    {"nested and #else are one block", "a b c d e", "g:b c d",
     "\tint a;\n#ifdef X\n#ifdef Y\n\tint b;\n#endif\n#else\n\tint "
     "c;\n#endif\n\tint d;\n\tint e;\n",
     "\tint a;\n[g\n#ifdef X\n#ifdef Y\n\tint b;\n#endif\n#else\n\tint "
     "c;\n#endif\n\tint d;\n]g\n\tint e;\n"},
    {"not before the first member", "a b c d", "g:a b c",
     "\tint a;\n\tint b;\n\tint c;\n\tint d;\n",
     "\tint a;\n[g\n\tint b;\n\tint c;\n]g\n\tint d;\n"},
    {"not before what may be the first member", "a b c d", "g:b c d",
     "#ifdef X\n\tint a;\n#endif\n\tint b;\n\tint c;\n\tint d;\n",
     "#ifdef X\n\tint a;\n#endif\n\tint b;\n[g\n\tint c;\n\tint d;\n]g\n"},
    {"bit-fields are not parted", "a b c d e", "g:c d e",
     "\tint a;\n\tint b:1;\n\tint c:2;\n\tint d;\n\tint e;\n",
     "\tint a;\n\tint b:1;\n\tint c:2;\n[g\n\tint d;\n\tint e;\n]g\n"},
    {"nor across an #if", "a b x c d e", "g:c d e",
     "\tint a;\n\tint b:1;\n#ifdef X\n\tint x;\n#endif\n\tint c:2;\n\tint "
     "d;\n\tint e;\n",
     "\tint a;\n\tint b:1;\n#ifdef X\n\tint x;\n#endif\n\tint c:2;\n[g\n\tint "
     "d;\n\tint e;\n]g\n"},
    {"all of a bit-field run is inside", "a b c d", "g:b c d",
     "\tint a;\n\tint b:1;\n\tint c:2;\n\tint d;\n",
     "\tint a;\n[g\n\tint b:1;\n\tint c:2;\n\tint d;\n]g\n"},
    {"a declaration of several that is not all in it", "a b c d e", "g:c d e",
     "\tint a;\n\tint b, c;\n\tint d;\n\tint e;\n",
     "\tint a;\n\tint b, c;\n[g\n\tint d;\n\tint e;\n]g\n"},
    {"two that touch", "a b c d e", "g:b c;h:d e",
     "\tint a;\n\tint b;\n\tint c;\n\tint d;\n\tint e;\n",
     "\tint a;\n[g\n\tint b;\n\tint c;\n]g\n[h\n\tint d;\n\tint e;\n]h\n"},
    {"the earlier one keeps its fields", "a b c d e", "g:b c;h:c d e",
     "\tint a;\n\tint b;\n\tint c;\n\tint d;\n\tint e;\n",
     "\tint a;\n[g\n\tint b;\n\tint c;\n]g\n[h\n\tint d;\n\tint e;\n]h\n"},
    {"not inside a group",
     "a __cacheline_group_begin__k@3 b c "
     "__cacheline_group_end__k@6 d e",
     "g:b c;h:c d e",
     "\tint a;\n[k\n\tint b;\n\tint c;\n]k\n\tint d;\n\tint "
     "e;\n",
     "\tint a;\n[k\n\tint b;\n\tint c;\n]k\n[h\n\tint d;\n\tint e;\n]h\n"},
    {"no second group of a name",
     "a __cacheline_group_begin__g@3 b "
     "__cacheline_group_end__g@5 d e",
     "g:d e", "\tint a;\n[g\n\tint b;\n]g\n\tint d;\n\tint e;\n",
     "\tint a;\n[g\n\tint b;\n]g\n\tint d;\n\tint e;\n"},
    {"of two pieces the one with more fields", "a b c x d e f", "g:b c d e f",
     "\tint a;\n\tint b;\n\tint c;\n\t/* must stay first */\n\tint "
     "x;\n\n\tint d;\n\tint e;\n\tint f;\n",
     "\tint a;\n\tint b;\n\tint c;\n\t/* must stay first */\n\tint "
     "x;\n\n[g\n\tint d;\n\tint e;\n\tint f;\n]g\n"},
    {"one alone is no group", "a b c", "g:a b",
     "\tint a;\n\tint b;\n\tint c;\n", "\tint a;\n\tint b;\n\tint c;\n"},
};

INSTANTIATE_TEST_SUITE_P(Markers, MarkersTable, ::testing::ValuesIn(Table),
                         [](const auto &Info) {
                           std::string Name;
                           for (char C : std::string(Info.param.Name))
                             Name += llvm::isAlnum(C) ? C : '_';
                           return Name;
                         });

TEST(Markers, AssertsStandUnderTheirConditions) {
  std::string Text = body("\tint a;\n#ifdef X\n\tint b;\n\tint c;\n#else\n"
                          "\tint d;\n#endif\n\tint e:1;\n"
                          "\tunion {\n\t\tint f;\n\t\tint g;\n\t};\n"
                          "\tunion {\n\t\tint h;\n#ifdef Y\n\t\tint i;\n"
                          "#endif\n\t};\n");
  RecordInfo Record = recordOf(Text, "a b c d e f|g@10 h|i@14");
  Record.Fields[4].BitField = true;
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  MarkedText Made =
      insertMarkers(*Of, Record, groupsOf(Record, "grp:b c d e f|g h|i"));
  ASSERT_EQ(Made.Groups.size(), 1u);
  EXPECT_EQ(Made.Groups[0], (PlacedGroup{"grp", {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(groupAsserts(*Of, Record, Made.Groups),
            "#ifdef X\n"
            "\tCACHELINE_ASSERT_GROUP_MEMBER(struct s, grp, b);\n"
            "\tCACHELINE_ASSERT_GROUP_MEMBER(struct s, grp, c);\n"
            "#endif\n"
            "#ifndef X\n"
            "\tCACHELINE_ASSERT_GROUP_MEMBER(struct s, grp, d);\n"
            "#endif\n"
            "\tCACHELINE_ASSERT_GROUP_MEMBER(struct s, grp, f);\n"
            "\tCACHELINE_ASSERT_GROUP_MEMBER(struct s, grp, g);\n");
  EXPECT_EQ(markerMembers(Made.Groups),
            (std::vector<std::string>{"__cacheline_group_begin__grp",
                                      "__cacheline_group_end__grp"}));
}

TEST(Markers, SayWhatIsLeftOut) {
  std::string Text = body("\tint a;\n\tint b;\n\tint c;\n\tint d;\n");
  RecordInfo Record = recordOf(Text, "a b c d");
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  MarkedText Made =
      insertMarkers(*Of, Record, groupsOf(Record, "g:a b c;h:c d"));
  EXPECT_EQ(Made.Groups, (std::vector<PlacedGroup>{{"g", {1, 2}}}));
  ASSERT_EQ(Made.Notes.size(), 2u);
  EXPECT_EQ(Made.Notes[0],
            "group g is used together with a, which markers cannot take in");
  EXPECT_EQ(Made.Notes[1], "no markers for h: its fields are in no run of "
                           "whole declarations and #if blocks that a group "
                           "can hold");
}

TEST(Markers, SayThatFieldsHaveAGroup) {
  std::string Text =
      body(marked("\tint a;\n[k\n\tint b;\n\tint c;\n]k\n\tint d;\n"));
  RecordInfo Record = recordWithMarkers(
      Text, "a __cacheline_group_begin__k@3 b c __cacheline_group_end__k@6 d");
  auto Of = Definition::parse(Text, Record);
  ASSERT_TRUE(bool(Of)) << llvm::toString(Of.takeError());
  MarkedText Made = insertMarkers(*Of, Record, groupsOf(Record, "g:b c"));
  EXPECT_EQ(Made.Notes,
            (std::vector<std::string>{"no markers for g: its fields are in "
                                      "groups that the definition has"}));
}

} // namespace
