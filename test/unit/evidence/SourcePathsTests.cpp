// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/SourcePaths.h"

#include <gtest/gtest.h>

using kst::SourcePaths;

namespace {

using Pairs = SourcePaths::Pairs;

TEST(SourcePaths, OfABuildElsewhere) {
  SourcePaths Paths(Pairs{{"../../tree/mm/slub.c", "mm/slub.c"},
                          {"../../tree/kernel/fork.c", "kernel/fork.c"},
                          {"./generated/bounds.h", "generated/bounds.h"}});
  EXPECT_EQ(Paths.analysed("../../tree/net/core/dev.c"), "net/core/dev.c");
  EXPECT_EQ(Paths.analysed("./generated/other.h"), "generated/other.h");
  EXPECT_EQ(Paths.analysed("../../tree/mm/slub.c"), "mm/slub.c");
  // Nothing is known about these.
  EXPECT_EQ(Paths.analysed("../../other/a.c"), "../../other/a.c");
  EXPECT_EQ(Paths.analysed("../../treetop/a.c"), "../../treetop/a.c");
  EXPECT_EQ(Paths.analysed("/usr/include/a.h"), "/usr/include/a.h");
  EXPECT_EQ(Paths.analysed(""), "");
}

TEST(SourcePaths, OfAbsoluteNames) {
  SourcePaths Paths(Pairs{{"/build/linux-6.12/mm/slub.c", "mm/slub.c"}});
  EXPECT_EQ(Paths.analysed("/build/linux-6.12/fs/exec.c"), "fs/exec.c");
  SourcePaths Both(
      Pairs{{"/build/linux/mm/slub.c", "/home/me/linux/mm/slub.c"}});
  EXPECT_EQ(Both.analysed("/build/linux/mm/slub.c"),
            "/home/me/linux/mm/slub.c");
  EXPECT_EQ(Both.analysed("/build/glibc/a.c"), "/build/glibc/a.c");
}

// Compiled in a directory of the source.
TEST(SourcePaths, OfADirectoryBelow) {
  SourcePaths Paths(Pairs{{"list.c", "src/list.c"},
                          {"ring.c", "src/ring.c"},
                          {"../include/ring.h", "include/ring.h"}});
  EXPECT_EQ(Paths.analysed("hash.c"), "src/hash.c");
  EXPECT_EQ(Paths.analysed("sub/hash.c"), "src/sub/hash.c");
  EXPECT_EQ(Paths.analysed("../lib/sum.c"), "lib/sum.c");
  EXPECT_EQ(Paths.analysed("/usr/include/a.h"), "/usr/include/a.h");
}

// Two directories, each of which calls its files by their names alone.
TEST(SourcePaths, WhatIsNotClearStaysAsItIs) {
  SourcePaths Paths(Pairs{{"list.c", "src/list.c"}, {"sum.c", "lib/sum.c"}});
  EXPECT_EQ(Paths.analysed("hash.c"), "hash.c");
  EXPECT_EQ(Paths.analysed("list.c"), "src/list.c");
  SourcePaths Two(Pairs{{"main.c", "a/main.c"}, {"main.c", "b/main.c"}});
  EXPECT_EQ(Two.analysed("main.c"), "main.c");
  EXPECT_EQ(SourcePaths(Pairs()).analysed("../x.c"), "../x.c");
}

// A function of arch/ found in a file of the same name elsewhere.
TEST(SourcePaths, AWrongPairIsOutvoted) {
  Pairs Known = {{"../t/arch/x86/kernel/time.c", "kernel/time.c"}};
  for (char C = 'a'; C <= 'n'; ++C)
    Known.insert(
        {std::string("../t/mm/") + C + ".c", std::string("mm/") + C + ".c"});
  SourcePaths Paths(Known);
  EXPECT_EQ(Paths.analysed("../t/arch/x86/kernel/irq.c"),
            "arch/x86/kernel/irq.c");
  EXPECT_EQ(Paths.analysed("../t/fs/exec.c"), "fs/exec.c");
}

// Names that the analysis has already.
TEST(SourcePaths, TheSameTree) {
  SourcePaths Paths(Pairs{{"mm/slub.c", "mm/slub.c"}});
  EXPECT_EQ(Paths.analysed("fs/exec.c"), "fs/exec.c");
}

} // namespace
