// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildCmd.h"

#include "analyzer/compile/ShellWords.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

const char *const Deps = "\n"
                         "source_kernel/a.o := /src/kernel/a.c\n"
                         "\n"
                         "deps_kernel/a.o := \\\n"
                         "    $(wildcard include/config/SMP) \\\n"
                         "  /src/include/linux/x.h \\\n"
                         "  include/generated/y.h \\\n"
                         "\n"
                         "kernel/a.o: $(deps_kernel/a.o)\n"
                         "\n"
                         "$(deps_kernel/a.o):\n";

TEST(KbuildCmd, ReadsBothGenerations) {
  for (const char *Prefix : {"savedcmd_", "cmd_"}) {
    std::string Text = std::string(Prefix) +
                       "kernel/a.o := gcc -DKBUILD_MODNAME='\"a\"' -c -o "
                       "kernel/a.o /src/kernel/a.c\n" +
                       Deps;
    auto Cmd = parseKbuildCmd(Text);
    ASSERT_TRUE(Cmd.has_value()) << Prefix;
    EXPECT_EQ(Cmd->Object, "kernel/a.o");
    EXPECT_EQ(Cmd->Source, "/src/kernel/a.c");
    ASSERT_EQ(Cmd->Deps.size(), 2u);
    EXPECT_EQ(Cmd->Deps[0], "/src/include/linux/x.h");
    EXPECT_EQ(Cmd->Deps[1], "include/generated/y.h");
    EXPECT_EQ(compileWords(Cmd->Command),
              (Words{"gcc", "-DKBUILD_MODNAME=\"a\"", "-c", "-o", "kernel/a.o",
                     "/src/kernel/a.c"}));
  }
}

TEST(KbuildCmd, TheFirstDependencyIsTheSourceOfOlderOnes) {
  auto Cmd = parseKbuildCmd("cmd_libbb/a.o := gcc -c -o libbb/a.o libbb/a.c\n\n"
                            "deps_libbb/a.o := \\\n"
                            "  libbb/a.c \\\n"
                            "    $(wildcard include/config/x.h) \\\n"
                            "  include/libbb.h \\\n\n"
                            "libbb/a.o: $(deps_libbb/a.o)\n");
  ASSERT_TRUE(Cmd.has_value());
  EXPECT_EQ(Cmd->Source, "libbb/a.c");
  ASSERT_EQ(Cmd->Deps.size(), 1u);
  EXPECT_EQ(Cmd->Deps[0], "include/libbb.h");
}

TEST(KbuildCmd, UndoesMakeEscapesAndPostprocessing) {
  std::string Text =
      std::string("savedcmd_kernel/a.o := clang -DP='$(pound)x' -DD='$$y' "
                  "-DH=\\#z -c -o kernel/a.o /src/kernel/a.c "
                  "; ./tools/objtool/objtool --orc kernel/a.o\n") +
      Deps;
  auto Cmd = parseKbuildCmd(Text);
  ASSERT_TRUE(Cmd.has_value());
  EXPECT_EQ(compileWords(Cmd->Command),
            (Words{"clang", "-DP=#x", "-DD=$y", "-DH=#z", "-c", "-o",
                   "kernel/a.o", "/src/kernel/a.c"}));
}

TEST(KbuildCmd, IgnoresWhatIsNoCompilation) {
  for (const char *Text :
       {"", "\n\n", "savedcmd_x.o := ld -r -o x.o a.o b.o\n",
        "cmd_x := :\nsource_x :=\n", "garbage := \\", "deps_x := \\\n a \\\n"})
    EXPECT_FALSE(parseKbuildCmd(Text).has_value()) << Text;
}

} // namespace
} // namespace kst
