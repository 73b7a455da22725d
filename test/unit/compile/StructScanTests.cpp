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

TEST(StructScan, SurvivesCutText) {
  for (const char *Text : {"box", "struct box", "/*", "*/ box {", "\"", "'\\",
                           "struct box /*", "(box,", "} box;"})
    (void)definesStruct(Text, "box");
}

TEST(StructScan, CollectsTags) {
  std::set<std::string> Tags;
  collectStructs("struct a {}; union b\n{}; struct c; struct {} d;", Tags);
  EXPECT_EQ(Tags, (std::set<std::string>{"a", "b"}));
}

} // namespace
} // namespace kst
