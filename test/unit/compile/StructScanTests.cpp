// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/StructScan.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

TEST(StructScan, FindsDefinitions) {
  for (const char *Text :
       {"struct box {", "struct box\n{", "struct  box{int a;};",
        "struct /* why */ box /* how */ {", "struct box // here\n{",
        "union box {", "struct __packed box {",
        "struct __attribute__((packed, aligned(8))) box {",
        "#define D struct box \\\n {", "typedef struct { int a; } box;",
        "typedef struct {\n} __packed box;",
        "struct_group_tagged(box, b, int x;)",
        "__struct_group(box, b, , int x;)", "/* it's */ struct box {",
        "'\"' struct box {", "struct box_t {}; struct box {",
        "x // '\nstruct box {"})
    EXPECT_TRUE(definesStruct(Text, "box")) << Text;
}

TEST(StructScan, PassesOverOtherUses) {
  for (const char *Text :
       {"", "struct box;", "struct box *f(void) {", "struct boxes {",
        "struct xbox {", "struct box_t {", "enum box {", "int box(void) {",
        "/* struct box { */", "// struct box {\n", "\"struct box {\"",
        "struct outer { struct box b; };", "struct outer { int a; } *box;",
        "if (a) { } return box;", "x = (struct box) { 0 };", "call(box, 1);",
        "struct box b = {", "box {"})
    EXPECT_FALSE(definesStruct(Text, "box")) << Text;
  EXPECT_FALSE(definesStruct("struct {", ""));
}

TEST(StructScan, FindsTypedefs) {
  using Found = std::vector<ScannedTypedef>;
  for (const char *Text :
       {"typedef struct _box box;", "typedef struct _box { int a; } box;",
        "typedef struct _box {\n\tstruct { int x; } y[2];\n} __packed box;",
        "typedef union _box /* why */ box ;",
        "typedef struct __attribute__((packed)) _box { char c; } other, box;",
        "typedef struct _box { int a; } __attribute__((aligned(8))) box;",
        "int a; typedef struct _box *pbox, box;"})
    EXPECT_EQ(typedefsOf(Text, "box"), (Found{{"_box", false}})) << Text;
  for (const char *Text :
       {"typedef struct _box *box;", "typedef struct _box { int a; } *box;",
        "typedef struct _box box[2];"})
    EXPECT_EQ(typedefsOf(Text, "box"), (Found{{"_box", true}})) << Text;
  for (const char *Text :
       {"", "typedef int box;", "typedef struct box box;", "struct _box box;",
        "typedef struct { int a; } box;", "// typedef struct _box box;",
        "typedef struct _box boxes;", "typedef struct _box", "typedef",
        "typedef struct _box { box", "typedef struct other { box b; } _box;"})
    EXPECT_EQ(typedefsOf(Text, "box"), Found()) << Text;
}

TEST(StructScan, LooksNoFurtherThanTheText) {
  for (const char *Text : {"box", "struct box", "/*", "*/ box {", "\"", "'\\",
                           "struct box /*", "(box,", "struct {} box"})
    EXPECT_FALSE(definesStruct(Text, "box")) << Text;
  // The end of a typedef of which the begin was cut off.
  EXPECT_TRUE(definesStruct("} box;", "box"));
}

TEST(StructScan, CollectsTags) {
  std::set<std::string> Tags;
  collectStructs("struct a {}; union b\n{}; struct c; struct {} d;", Tags);
  EXPECT_EQ(Tags, (std::set<std::string>{"a", "b"}));
}

TEST(StructScan, MacrosThatPasteTags) {
  const char *Raw =
      "#define EVENT(NAME) \\\n  struct raw_##NAME \\\n  { int x; }\n";
  EXPECT_TRUE(mayPaste(Raw, "raw_fork"));
  EXPECT_FALSE(mayPaste(Raw, "cooked_fork"));
  EXPECT_FALSE(mayPaste(Raw, "NAME"));
  const char *State = "#define TABLE(n) struct n ## _table_s { int x; }\n";
  EXPECT_TRUE(mayPaste(State, "bfa_table_s"));
  EXPECT_FALSE(mayPaste(State, "nosuch"));
  const char *Both = "#define MAKE(a) union pre_##a##_post { int x; }\n";
  EXPECT_TRUE(mayPaste(Both, "pre_x_post"));
  EXPECT_FALSE(mayPaste(Both, "pre_x"));
  EXPECT_FALSE(mayPaste(Both, "x_post"));
  EXPECT_TRUE(mayPaste("#define MAKE(a, b) struct a##b { int x; }\n", "any"));
  // No definition, and no record.
  EXPECT_FALSE(mayPaste("#define SIZE(x) sizeof(struct in_##x)\n", "in_s"));
  EXPECT_FALSE(mayPaste("#define AT(x) my_struct##x { 1 }\n", "s"));
}

} // namespace
} // namespace kst
