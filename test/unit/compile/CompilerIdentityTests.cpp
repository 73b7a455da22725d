// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompilerIdentity.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

std::string joined(const Words &Given) {
  std::string Text;
  for (const std::string &Word : Given)
    Text += (Text.empty() ? "" : " ") + Word;
  return Text;
}

struct ScriptCase {
  const char *Text, *Command;
};

TEST(CompilerIdentity, ReadsWhatAScriptRuns) {
  const ScriptCase Cases[] = {
      {"#!/bin/sh\nexec arm-gcc \"$@\"\n", "arm-gcc $@"},
      {"#!/bin/sh\n# gcc \"$@\"\nexec arm-gcc -m32 \"$@\" -lx\n",
       "arm-gcc -m32 $@ -lx"},
      {"exec \"$(dirname \"$0\")/arm-gcc\" \"$@\"", "/d/arm-gcc $@"},
      {"exec `dirname $0`/arm-gcc \"$@\"", "/d/arm-gcc $@"},
      {"exec ${0%/*}/arm-gcc $*", "/d/arm-gcc $@"},
      {"exec \"${REALGCC:-gcc}\" \"$@\" -specs \"/m.specs\"\n",
       "gcc $@ -specs /m.specs"},
      // As the NDK has them.
      {"bin_dir=`dirname \"$0\"`\nif [ \"$1\" != \"-cc1\" ]; then\n"
       "    \"$bin_dir/clang\" --target=aarch64-linux-android21 \"$@\"\n"
       "else\n    \"$bin_dir/clang\" \"$@\"\nfi\n",
       "/d/clang --target=aarch64-linux-android21 $@"},
      {"export A=b\nT=/opt/x\nC=$T/bin/arm-gcc\nA=1 ccache $C ${1+\"$@\"}",
       "A=1 ccache /opt/x/bin/arm-gcc $@"},
      {"echo \"$@\"\ntouch x\n", ""},
      {"", ""},
      {"$(", ""},
      {"`", ""},
      {"${", ""},
  };
  for (const ScriptCase &C : Cases)
    EXPECT_EQ(joined(commandOfScript(C.Text, "/d/cc")), C.Command) << C.Text;
}

TEST(CompilerIdentity, ReadsTheStringsOfADriver) {
  auto Image = [](std::string Text) {
    for (char &C : Text)
      if (C == '|')
        C = '\0';
    return tripleOfDriver("\x7f"
                          "ELF|" +
                          Text);
  };
  using namespace std::string_literals;
  EXPECT_EQ(tripleOfDriver("Using built-in specs.\0arm-none-eabi\0x"s),
            "arm-none-eabi");
  EXPECT_EQ(tripleOfDriver("Using built-in specs.\0kernel-address\0"
                           "../configure --x --target=avr --y\0"s),
            "avr");
  EXPECT_EQ(Image("arm-none-eabi"), ""); // not gcc's
  EXPECT_EQ(tripleOfDriver("Using built-in specs."), "");
}

struct Identities : TempTree, testing::Test {
  void program(const std::string &Name, const std::string &Text) const {
    file(Name, Text);
    chmod(path(Name).c_str(), 0755);
  }

  /// "TRIPLE BEFORE", or what is wrong.
  std::string of(const std::string &Word) {
    CompilerIdentities All;
    const CompilerIdentity &Is = All.of(findCompiler({Word, "-c"}), path(""));
    if (!Is.Problem.empty())
      return Is.Problem;
    return Is.Triple + (Is.Before.empty() ? "" : " " + joined(Is.Before)) +
           (Is.Assumed ? " assumed" : "");
  }
};

TEST_F(Identities, FollowLinksAndScripts) {
  using namespace std::string_literals;
  program("bin/arm-linux-gnueabihf-gcc-12", "\x7f"
                                            "ELF");
  program("bin/driver", "\x7f"
                        "ELF\0Using built-in specs.\0arm-none-eabi\0"s);
  program("bin/mute", "\x7f"
                      "ELF");
  program("bin/loop", "#!/bin/sh\nexec ./loop-gcc \"$@\"\n");
  program("bin/loop-gcc", "#!/bin/sh\nexec ./loop-gcc \"$@\"\n");
  program("bin/wrap", "#!/bin/sh\nexec ${0%/*}/arm-linux-gnueabihf-gcc-12 "
                      "-DX \"$@\"\n");
  link("bin/arm-linux-gnueabihf-gcc-12", "bin/cc");
  link("bin/driver", "bin/gcc");
  link("bin/wrap", "bin/other");
  EXPECT_EQ(of("./bin/cc"), "arm-linux-gnueabihf");
  EXPECT_EQ(of("./bin/gcc"), "arm-none-eabi");
  EXPECT_EQ(of(path("bin/driver")), "arm-none-eabi");
  EXPECT_EQ(of("bin/wrap"), "arm-linux-gnueabihf -DX");
  EXPECT_EQ(of("bin/other"), "arm-linux-gnueabihf -DX");
  EXPECT_EQ(of("bin/mute"), " assumed");
  EXPECT_EQ(of("bin/loop"), " assumed");
  EXPECT_EQ(of("./gone/gcc"), "");
  EXPECT_EQ(of("./gone/my-gcc"),
            "its name does not say it, and it is not here");
  EXPECT_EQ(of("gone"), "its name does not say it, and it is not here");
}

TEST_F(Identities, FindTheHeadersOfACrossCompiler) {
  program("usr/bin/arm-none-eabi-gcc", "\x7f"
                                       "ELF");
  file("usr/lib/arm-none-eabi/include/stdio.h", "");
  CompilerIdentities All;
  EXPECT_EQ(All.of(findCompiler({"usr/bin/arm-none-eabi-gcc", "-c"}), path(""))
                .Headers,
            Words{path("usr/lib/arm-none-eabi/include")});
}

} // namespace
} // namespace kst
