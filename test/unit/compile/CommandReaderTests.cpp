// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CommandReader.h"

#include "analyzer/compile/LayoutFlags.h"
#include "analyzer/compile/ShellWords.h"
#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace kst {
namespace {

struct CommandReading : TempTree, testing::Test {
  std::string Target;

  /// The target, or the error.
  std::string target(const std::string &Line) const {
    CommandReader Reader(Target);
    auto Read = Reader.read({path(""), path("x.c"), "", compileWords(Line)});
    return Read ? Read->Target : toString(Read.takeError());
  }
};

TEST_F(CommandReading, TellsOrAsksWhatACommandCompilesFor) {
  EXPECT_EQ(target("./gone/gcc -c x.c"), "");
  EXPECT_EQ(target("ccache arm-linux-gnueabihf-gcc -c x.c"),
            "arm-linux-gnueabihf");
  EXPECT_EQ(target("clang --target=riscv64 -c x.c"), "riscv64");
  EXPECT_EQ(target("sh4-linux-gnu-gcc -c x.c"),
            "what sh4-linux-gnu-gcc compiles for is not known: its name does "
            "not say it, and it is not here; say it with --target TRIPLE");
  EXPECT_EQ(target("sh4-linux-gnu-gcc --target=arm-none-eabi -c x.c"),
            "arm-none-eabi");
  EXPECT_EQ(target("rustc x.rs"),
            "its command runs rustc, which compiles no C or C++ that clang "
            "reads");
  file("t.rsp", "--target=avr");
  EXPECT_EQ(target("clang @t.rsp -c x.c"), "avr");
}

TEST_F(CommandReading, TheUserSaysWhatNothingElseDoes) {
  Target = "mips-linux-gnu";
  EXPECT_EQ(target("sh4-linux-gnu-gcc -c x.c"), "mips-linux-gnu");
  EXPECT_EQ(target("./gone/gcc -c x.c"), "mips-linux-gnu");
  EXPECT_EQ(target("avr-gcc -c x.c"), "avr");
  EXPECT_EQ(target("clang --target=arm -c x.c"), "arm");
  EXPECT_EQ(target("cl.exe /c x.c"), "");
}

TEST_F(CommandReading, WhatIsAssumedIsSaid) {
  file("cc", "#!/bin/sh\ntouch escape\n");
  chmod(path("cc").c_str(), 0755);
  file("wrapper", "#!/bin/sh\ntouch escape\n");
  chmod(path("wrapper").c_str(), 0755);
  CommandReader Reader("");
  for (const char *Word : {"./cc", "./wrapper"})
    EXPECT_TRUE(
        bool(Reader.read({path(""), path("x.c"), "", {Word, "-c", "x.c"}})));
  ASSERT_EQ(Reader.notes().size(), 1u);
  EXPECT_NE(Reader.notes().begin()->find("./wrapper"), std::string::npos);
}

TEST(LayoutFlags, AreThoseThatMoveMembers) {
  for (const char *Flag : {"-mstructure-size-boundary=", "-m96bit-long-double",
                           "-mint8", "-fipa-struct-reorg", "@file"})
    EXPECT_EQ(layoutDoubt(Flag).find(Flag), 0u) << Flag;
  for (const char *Flag :
       {"-fconserve-stack", "--param", "-Xclang", "-mindirect-branch=", ""})
    EXPECT_EQ(layoutDoubt(Flag), "") << Flag;
}

} // namespace
} // namespace kst
