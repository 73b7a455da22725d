// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/SeeingUnits.h"

#include "test/unit/support/TempTree.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

std::string joined(const SeeingUnits &Found) {
  if (!Found.Unknown.empty())
    return "unknown";
  std::string Text = Found.AtMost ? "at most" : "";
  for (const std::string &Unit : Found.Units)
    Text += (Text.empty() ? "" : " ") + Unit;
  return Text;
}

/// A program with compile_commands.json.
struct Program : TempTree {
  Program() {
    file("include/box.h", "struct box { int a; };\n");
    file("include/middle.h", "# include <box.h> // by way of this\n");
    file("a.c", "#include <middle.h>\n");
    file("b.c", "#ifdef NEVER\n  #  include \"include/box.h\"\n#endif\n");
    file("c.c", "#include \"box.h\"\nint box;\n");
    file("d.c", "#include <stdio.h>\n// struct box;\n");
    file("part.c", "#include <middle.h>\n");
    file("e.c", "#include \"part.c\"\n");
    std::string Json = "[";
    for (const char *Unit : {"a", "b", "c", "d", "e"})
      Json += std::string(Json.size() > 1 ? ",\n" : "") + "{\"directory\": \"" +
              path("") + "\", \"file\": \"" + Unit +
              ".c\", \"arguments\": [\"cc\", " +
              (*Unit == 'c' ? "" : "\"-Iinclude\", ") + "\"-c\", \"" + Unit +
              ".c\"]}";
    file("compile_commands.json", Json + "]\n");
    Build.Cwd = path("");
    Build.BuildDirs = {path("")};
    Build.Paths = {"a.c"}; // does not matter
    Build.StructNames = {"nothing"};
  }
  DatabaseOptions Build;
};

TEST(SeeingUnits, ByIncludeLinesAndSearchPaths) {
  Program P;
  // c.c looks in no directory that has box.h.
  EXPECT_EQ(joined(unitsThatSee(P.Build, P.path("include/box.h"))),
            "at most a.c b.c e.c");
  EXPECT_EQ(joined(unitsThatSee(P.Build, P.path("part.c"))), "at most e.c");
}

TEST(SeeingUnits, ADefinitionInASourceIsSeenByItAlone) {
  Program P;
  EXPECT_EQ(joined(unitsThatSee(P.Build, P.path("d.c"))), "d.c");
}

TEST(SeeingUnits, WhatCannotBeKnownIsUnknown) {
  Program P;
  EXPECT_EQ(joined(unitsThatSee(P.Build, P.path("gone.h"))), "unknown");
  P.Build.BuildDirs = {P.path("nowhere")};
  EXPECT_EQ(joined(unitsThatSee(P.Build, P.path("include/box.h"))), "unknown");
}

/// Two units of a kernel, of which one was built.
struct Kernel : TempTree {
  Kernel() {
    file("src/Kbuild", "obj-y += k/\n");
    file("src/Kconfig");
    file("src/include/linux/box.h", "struct box {\n  int a;\n};\n");
    file("src/k/Makefile", "obj-y += a.o b.o\n");
    file("src/k/a.c", "#include <linux/box.h>\n");
    file("src/k/b.c");
    file("obj/.config", "CONFIG_X86_64=y\nCONFIG_64BIT=y\n");
    file("obj/include/generated/autoconf.h");
    link("src", "obj/source");
    for (const char *Unit : {"a", "b"})
      cmd(Unit, {});
    Build.Cwd = path("src");
    Build.BuildDirs = {path("obj")};
  }
  void cmd(const std::string &Unit, const std::vector<std::string> &Deps) {
    const std::string Object = "k/" + Unit + ".o",
                      Source = path("src/k/" + Unit + ".c");
    std::string Text = "savedcmd_" + Object + " := gcc -D__KERNEL__ -c -o " +
                       Object + " " + Source + "\n\nsource_" + Object +
                       " := " + Source + "\n\ndeps_" + Object + " := \\\n";
    for (const std::string &Dep : Deps)
      Text += "  " + Dep + " \\\n";
    file("obj/k/." + Unit + ".o.cmd", Text + "\n" + Object + ":\n");
  }
  DatabaseOptions Build;
};

TEST(SeeingUnits, DependencyListsAreBelievedMoreThanText) {
  Kernel K;
  K.cmd("b", {K.path("src/include/linux/box.h")});
  K.file("obj/vmlinux");
  EXPECT_EQ(joined(unitsThatSee(K.Build, K.path("src/include/linux/box.h"))),
            "k/b.c");
}

TEST(SeeingUnits, AKernelThatIsNotLinkedHasMoreUnitsThanWereBuilt) {
  Kernel K;
  K.cmd("b", {K.path("src/include/linux/box.h")});
  // Without a template nobody knows what else there is.
  K.Build.TemplateFile = K.path("gone.json");
  EXPECT_EQ(joined(unitsThatSee(K.Build, K.path("src/include/linux/box.h"))),
            "unknown");
}

} // namespace
} // namespace kst
