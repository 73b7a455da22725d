// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/HotNames.h"

#include "test/unit/request/RequestTree.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

class HotNamesTest : public testing::Test {
protected:
  HotName one(const std::string &Name) {
    HotName Found =
        findHotNames(IncludeGraph(Tree.Units), {Name}, Tree.prober()).front();
    // The root is another at every run.
    for (size_t At = 0;
         (At = Found.Explanation.find(Tree.Root + "/")) != std::string::npos;)
      Found.Explanation.erase(At, Tree.Root.size() + 1);
    return Found;
  }

  test::RequestTree Tree;
};

TEST_F(HotNamesTest, ABodyOfThatName) {
  Tree.file("x.h", "static inline int helper(int a)\n{\n\treturn a;\n}\n");
  Tree.unit("a.c", "#include \"x.h\"\nint wake_up(int a) { return a; }\n");
  EXPECT_EQ(one("wake_up").Kind, HotKind::Function);
  EXPECT_EQ(one("helper").Kind, HotKind::Function);
  EXPECT_TRUE(Tree.Asked.empty());
}

TEST_F(HotNamesTest, MisspeltOnesAreSuggested) {
  Tree.unit("a.c", "int wake_up(int a) { return a; }\n");
  HotName Found = one("wake_upp");
  EXPECT_EQ(Found.Kind, HotKind::Unknown);
  EXPECT_TRUE(Found.Near);
  EXPECT_EQ(Found.Explanation, "no selected file has a function of that name; "
                               "did you mean 'wake_up'?");
  Found = one("entirely_different");
  EXPECT_EQ(Found.Kind, HotKind::Unknown);
  EXPECT_FALSE(Found.Near);
}

TEST_F(HotNamesTest, WhatIsOnlyCalledIsElsewhere) {
  Tree.unit("a.c", "void far_away(void);\nvoid f(void) { far_away(); }\n");
  HotName Found = one("far_away");
  EXPECT_EQ(Found.Kind, HotKind::Elsewhere);
  EXPECT_EQ(Found.Explanation,
            "known at a.c:1, but no selected file has its body; add the file "
            "that defines it to the paths");
}

TEST_F(HotNamesTest, WhatOnlyAMacroCouldMakeIsLeftToTheAnalysis) {
  Tree.unit("a.c", "#define NAME templated\n#include \"t.h\"\n"
                   "#define SHOW(x) int show_##x(void) { return 0; }\n"
                   "#define ALL SHOW(a) SHOW(b)\nALL\n");
  Tree.file("t.h", "int NAME(void) { return 1; }\n");
  EXPECT_EQ(one("templated").Kind, HotKind::Elsewhere);
  EXPECT_EQ(one("show_b").Kind, HotKind::Elsewhere);
  EXPECT_EQ(one("show_missing").Kind, HotKind::Unknown);
}

TEST_F(HotNamesTest, MacrosAreFollowedToFunctions) {
  Tree.unit("a.c", "void real_lock(int *l) { *l = 1; }\n"
                   "#define inner_lock(l) real_lock(l)\n"
                   "#define outer_lock(l) do { inner_lock(l); } while (0)\n"
                   "#define just_value(x) (x)\n");
  HotName Found = one("outer_lock");
  EXPECT_EQ(Found.Kind, HotKind::Macro);
  EXPECT_EQ(Found.Explanation, "is a macro (a.c:3); it leads to real_lock(); "
                               "say real_lock");
  EXPECT_EQ(one("just_value").Explanation,
            "is a macro (a.c:4), and no function with a body is behind it");
}

TEST_F(HotNamesTest, FunctionsThatMacrosMakeAreNamed) {
  Tree.unit("a.c",
            "#define DEFINE_CALL(name, type) \\\n"
            "\tstatic long __do_sys_##name(type x); \\\n"
            "\tlong __entry_sys_##name(long x) { return __do_sys_##name(x); } "
            "\\\n"
            "\tstatic long __do_sys_##name(type x)\n"
            "\n"
            "DEFINE_CALL(yield, int)\n{\n\treturn x;\n}\n");
  EXPECT_EQ(one("__do_sys_yield").Kind, HotKind::Function);
  EXPECT_EQ(one("__entry_sys_yield").Kind, HotKind::Function);
  HotName Found = one("sys_yield");
  EXPECT_EQ(Found.Kind, HotKind::Macro);
  EXPECT_EQ(Found.Explanation,
            "no such function; DEFINE_CALL() at a.c:6 makes "
            "__entry_sys_yield(), __do_sys_yield(); say __do_sys_yield");
}

TEST_F(HotNamesTest, ANameThatAMacroCallIsAbout) {
  Tree.unit("a.c", "int native_clock(void) { return 1; }\n"
                   "#define DEFINE_STATIC_CALL(name, func) "
                   "int (*__key_##name)(void) = func\n"
                   "DEFINE_STATIC_CALL(pv_clock, native_clock);\n");
  HotName Found = one("pv_clock");
  EXPECT_EQ(Found.Kind, HotKind::Macro);
  EXPECT_EQ(Found.Explanation,
            "is what DEFINE_STATIC_CALL() names at a.c:3; it leads to "
            "native_clock(); say native_clock");
}

} // namespace
