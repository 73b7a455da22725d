// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompileDatabase.h"

#include "test/unit/support/TempTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/stat.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

std::string input(const char *Name) {
  auto File =
      llvm::MemoryBuffer::getFile(std::string(KST_INPUTS "/compile/") + Name);
  return File ? (*File)->getBuffer().str() : "";
}

/// A small tree in the shape of a kernel's, with an O= directory.
struct Kernel : TempTree {
  Kernel() {
    file("src/Kbuild", "obj-y += k/\n");
    file("src/Kconfig");
    file("src/include/linux/box.h", "struct box {\n  int a;\n};\n");
    file("src/k/Makefile", "obj-y += a.o b.o\n");
    file("src/k/a.c", "#include \"part.c\"\n");
    file("src/k/b.c");
    file("src/k/part.c");
    file("src/m/c.c");
    file("obj/.config", "CONFIG_X86_64=y\nCONFIG_64BIT=y\n");
    link("src", "obj/source");
    Options.Cwd = path("src");
    Options.BuildDirs = {path("obj")};
  }

  /// Writes the .cmd file of Object, made from Source.
  void cmd(const std::string &Object, const std::string &Source,
           const Words &Deps, const std::string &Flags = "-D__KERNEL__") const {
    std::string Dir = llvm::sys::path::parent_path(Object).str();
    std::string Leaf = llvm::sys::path::filename(Object).str();
    std::string Text = "savedcmd_" + Object + " := gcc -Wp,-MMD,x.d " + Flags +
                       " -fconserve-stack -c -o " + Object + " " + Source +
                       " ; ./objtool " + Object + "\n\nsource_" + Object +
                       " := " + Source + "\n\ndeps_" + Object + " := \\\n" +
                       "    $(wildcard include/config/X) \\\n";
    for (const std::string &Dep : Deps)
      Text += "  " + Dep + " \\\n";
    file("obj/" + Dir + "/." + Leaf + ".cmd", Text + "\n" + Object + ":\n");
  }

  void build() const {
    cmd("k/a.o", path("src/k/a.c"),
        {path("src/k/part.c"), path("src/include/linux/box.h")});
    cmd("k/b.o", "../src/k/b.c", {});
    cmd("m/c.o", path("src/m/c.c"), {"../src/include/linux/box.h"});
    cmd("scripts/host.o", path("src/m/c.c"), {}, "-DHOST");
  }

  std::string run(Words Paths, Words Structs = {}) {
    Options.Paths = std::move(Paths);
    Options.StructNames = std::move(Structs);
    auto Loaded = loadUnits(Options);
    if (!Loaded)
      return "error: " + llvm::toString(Loaded.takeError());
    List = std::move(*Loaded);
    std::string Out;
    for (const CompileUnit &U : List.Units)
      Out += (Out.empty() ? "" : " ") + U.Relative;
    for (const FailedUnit &F : List.Failed)
      Out += (Out.empty() ? "" : " ") + F.File + "(" + F.Reason + ")";
    return Out;
  }

  DatabaseOptions Options;
  UnitList List;
};

TEST(CompileDatabase, SelectsFromCmdFiles) {
  Kernel Tree;
  Tree.build();
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/b.c");
  EXPECT_EQ(Tree.List.Origin, "kbuild .cmd files");
  EXPECT_EQ(Tree.List.SourceRoot, Tree.path("src"));
  EXPECT_EQ(Tree.List.ObjectRoot, Tree.path("obj"));
  EXPECT_EQ(Tree.List.Units[0].Directory, Tree.path("obj"));
  EXPECT_EQ(Tree.List.Units[1].File, Tree.path("src/k/b.c"));
  EXPECT_EQ(Tree.List.FlagsDropped,
            (std::map<std::string, uint64_t>{{"-fconserve-stack", 2}}));
  EXPECT_EQ(Tree.run({"k/"}), "k/a.c k/b.c");
  EXPECT_EQ(Tree.run({"."}), "k/a.c k/b.c m/c.c");
  EXPECT_EQ(Tree.List.Skipped["host program of the build"], 1u);
  EXPECT_EQ(Tree.run({}), "k/a.c k/b.c m/c.c");
  EXPECT_EQ(Tree.run({"m", "k/b.c", "m/c.c", "k/b.c"}), "k/b.c m/c.c");
  EXPECT_EQ(Tree.run({Tree.path("src/m")}), "m/c.c");
  EXPECT_EQ(Tree.run({Tree.path("obj/m")}), "m/c.c");
}

TEST(CompileDatabase, IncludedFilesSelectTheirReaders) {
  Kernel Tree;
  Tree.build();
  EXPECT_EQ(Tree.run({"k/part.c"}), "k/a.c");
  EXPECT_EQ(Tree.run({"include/linux/box.h"}), "k/a.c m/c.c");
}

TEST(CompileDatabase, StructsSelectByDependencies) {
  Kernel Tree;
  Tree.build();
  EXPECT_EQ(Tree.run({"."}, {"box"}), "k/a.c m/c.c");
  EXPECT_EQ(Tree.run({"k"}, {"box"}), "k/a.c");
  // A short list is kept whole: a macro may spell the definition.
  EXPECT_EQ(Tree.run({"."}, {"nowhere"}), "k/a.c k/b.c m/c.c");
}

TEST(CompileDatabase, UnknownStructInALongList) {
  Kernel Tree;
  for (int I = 0; I < 70; ++I)
    Tree.cmd("k/f" + std::to_string(I) + ".o",
             Tree.path("src/k/f" + std::to_string(I) + ".c"),
             {Tree.path("src/include/linux/box.h")});
  std::string Message = Tree.run({"k"}, {"bax"});
  EXPECT_NE(Message.find("defines struct bax; did you mean box?"),
            std::string::npos)
      << Message;
}

TEST(CompileDatabase, WorksFromOtherDirectories) {
  Kernel Tree;
  Tree.build();
  Tree.Options.Cwd = Tree.path("src/k");
  Tree.Options.BuildDirs = {"../../obj"};
  EXPECT_EQ(Tree.run({"a.c"}), "k/a.c");
  EXPECT_EQ(Tree.run({"k/b.c"}), "k/b.c");
  Tree.Options.Cwd = Tree.path("obj");
  Tree.Options.BuildDirs = {};
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/b.c");
  Tree.Options.Cwd = "/";
  Tree.Options.BuildDirs = {Tree.path("obj")};
  EXPECT_EQ(Tree.run({"m"}), "m/c.c");
}

TEST(CompileDatabase, EveryCommandOfASourceThatDiffersIsAUnit) {
  Kernel Tree;
  Tree.build();
  Tree.cmd("boot/b.pi.o", "../src/k/b.c", {}, "-D__KERNEL__ -DWRONG");
  Tree.cmd("a/other.o", "../src/k/b.c", {}, "-D__KERNEL__ -DWRONG");
  Tree.cmd("vdso/v.o", "../src/k/b.c", {}, "-D__KERNEL__ -m32 -DWRONG");
  // Its own object comes first; two that differ in the object only are one.
  EXPECT_EQ(Tree.run({"."}), "k/a.c k/b.c k/b.c m/c.c");
  EXPECT_FALSE(llvm::is_contained(Tree.List.Units[1].Args, "WRONG"));
  EXPECT_TRUE(llvm::is_contained(Tree.List.Units[2].Args, "WRONG"));
  EXPECT_EQ(Tree.List.Skipped["code for another machine mode (-m16, -m32)"],
            1u);
}

TEST(CompileDatabase, SeveralBuilds) {
  Kernel Tree;
  Tree.build();
  Tree.Options.BuildDirs = {Tree.path("obj"), Tree.path("obj")};
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/a.c k/b.c k/b.c");
  EXPECT_EQ(Tree.List.Units[0].Build, 0u);
  EXPECT_EQ(Tree.List.Units[1].Build, 1u);
  EXPECT_EQ(Tree.List.Builds.size(), 2u);
}

TEST(CompileDatabase, MessagesSayWhatToDo) {
  Kernel Tree;
  EXPECT_NE(Tree.run({"k"}).find("build it first: make O="), std::string::npos);
  EXPECT_NE(Tree.run({"nosuch"}).find("no such file or directory"),
            std::string::npos);
  EXPECT_NE(Tree.run({"/usr"}).find("outside of the source tree"),
            std::string::npos);
  Tree.Options.BuildDirs = {Tree.path("nosuch")};
  EXPECT_NE(Tree.run({"k"}).find("no such build directory"), std::string::npos);
  Tree.Options.BuildDirs = {};
  EXPECT_NE(Tree.run({"k"}).find("name the build directory with -p"),
            std::string::npos);
}

TEST(CompileDatabase, ConfiguredOnlyTreesUseTheTemplate) {
  Kernel Tree;
  Tree.Options.TemplateFile =
      KST_INPUTS "/../../compile_commands.template.json";
  EXPECT_NE(Tree.run({"k"}).find("not prepared"), std::string::npos);
  Tree.file("obj/include/generated/autoconf.h");
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/b.c");
  EXPECT_EQ(Tree.List.Origin, "compile_commands.template.json");
  EXPECT_EQ(Tree.run({"."}), "k/a.c k/b.c");
  EXPECT_EQ(Tree.run({"k/part.c"}), "k/a.c");
  // What `make prepare` compiles stays beside what the Makefiles name.
  Tree.cmd("arch/x86/vdso.o", Tree.path("src/m/c.c"), {});
  Tree.file("src/arch/x86/vdso.c");
  Tree.cmd("arch/x86/vdso.o", Tree.path("src/arch/x86/vdso.c"), {});
  EXPECT_EQ(Tree.run({"."}), "arch/x86/vdso.c k/a.c k/b.c");
}

/// k/b.c is built; k/a.c and all of n are not.
struct PartlyBuilt : Kernel {
  PartlyBuilt() {
    file("obj/include/generated/autoconf.h");
    file("src/Kbuild", "obj-y += k/ n/\n");
    file("src/n/Makefile", "obj-y += d.o e.o generated.o\n");
    file("src/n/d.c", "#include <linux/box.h>\n");
    file("src/n/e.c");
    cmd("k/b.o", path("src/k/b.c"), {},
        "-D__KERNEL__ -I" + path("src/arch/x86/include") + " -I" +
            path("src/include") +
            " -include y.h -D__KERNEL__ -DFROM_B "
            "-DKBUILD_MODNAME='\"b\"'");
    Options.TemplateFile = "/none";
  }
};

TEST(CompileDatabase, WhatIsNotBuiltIsSelectedByTheConfiguration) {
  PartlyBuilt Tree;
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/b.c");
  EXPECT_EQ(Tree.List.Units[0].Origin, CommandOrigin::Model);
  EXPECT_TRUE(llvm::is_contained(Tree.List.Units[0].Args, "FROM_B"));
  EXPECT_EQ(Tree.List.Units[0].Make,
            "make O=" + Tree.path("obj") + " LLVM=1 k/a.o");
  EXPECT_EQ(Tree.List.Units[1].Origin, CommandOrigin::Own);
  EXPECT_EQ(Tree.List.Units[1].Make, "");
  EXPECT_EQ(Tree.List.Builds[0].Model, "k/b.c");
  EXPECT_EQ(Tree.run({"."}), "k/a.c k/b.c n/d.c n/e.c");
  EXPECT_EQ(Tree.List.Ungenerated, Words{"n/generated.o"});
  EXPECT_EQ(Tree.run({"n"}), "n/d.c n/e.c");
  EXPECT_EQ(Tree.run({"k/part.c"}), "k/a.c");
  EXPECT_EQ(Tree.run({"include/linux/box.h"}), "n/d.c");
  // By #include lines, as there are no dependency lists.
  EXPECT_EQ(Tree.run({"."}, {"box"}), "n/d.c");
  Tree.Options.OnlyBuilt = true;
  EXPECT_EQ(Tree.run({"."}), "k/b.c");
  EXPECT_NE(Tree.run({"n"}).find("build it first: make O="), std::string::npos);
}

TEST(CompileDatabase, AMissingPathCostsOnlyItself) {
  PartlyBuilt Tree;
  EXPECT_NE(Tree.run({"k", "gone"}).find("error: gone"), std::string::npos);
  Tree.Options.SomePaths = true;
  Words Told;
  Tree.Options.Missed = [&](const std::string &Why) { Told.push_back(Why); };
  EXPECT_EQ(Tree.run({"k", "gone", "n/e.c"}), "k/a.c k/b.c n/e.c");
  EXPECT_EQ(Tree.List.PathsMissed, Words{"gone: no such file or directory"});
  EXPECT_EQ(Told, Tree.List.PathsMissed);
  EXPECT_EQ(Tree.run({"gone"}), "error: gone: no such file or directory");
}

/// A directory with compile_commands.json and the sources it names.
struct Json : TempTree {
  explicit Json(const std::string &Text) {
    file("compile_commands.json", Text);
    Options.Cwd = Root;
  }
  std::string run(Words Paths = {}) {
    Options.Paths = std::move(Paths);
    auto Loaded = loadUnits(Options);
    if (!Loaded)
      return "error: " + llvm::toString(Loaded.takeError());
    List = std::move(*Loaded);
    std::string Out;
    for (const CompileUnit &U : List.Units)
      Out += (Out.empty() ? "" : " ") + U.Relative;
    return Out;
  }
  DatabaseOptions Options;
  UnitList List;
};

TEST(CompileDatabase, HostileFlagsStayInert) {
  Json Db(input("hostile-flags.json"));
  for (const char *Name : {"writes-deps.c", "writes-diagnostics.c",
                           "loads-code.c", "response-file.c", "shell-text.c"})
    Db.file(Name);
  auto Before = Db.files();
  EXPECT_EQ(Db.run(), "loads-code.c response-file.c shell-text.c "
                      "writes-deps.c writes-diagnostics.c");
  EXPECT_EQ(Db.files(), Before);
  for (const CompileUnit &U : Db.List.Units)
    for (const std::string &Arg : U.Args) {
      EXPECT_EQ(Arg.find("kst-evil"), std::string::npos) << Arg;
      EXPECT_EQ(Arg.find("kst-escape.") != std::string::npos, false) << Arg;
      EXPECT_NE(Arg, "rm");
    }
  EXPECT_TRUE(llvm::is_contained(Db.List.Units[2].Args, "GOOD=1"));
  EXPECT_EQ(Db.List.FlagsDropped.count("-fplugin="), 1u);
  EXPECT_EQ(Db.List.FlagsDropped.count("@file"), 1u);
}

TEST(CompileDatabase, SpecialFilesFailAloneAndAreNotOpened) {
  Json Db(input("special-files.json"));
  Db.file("good1.c");
  Db.file("good2.c");
  Db.dir("directory.c");
  ASSERT_EQ(mkfifo(Db.path("fifo.c").c_str(), 0600), 0);
  EXPECT_EQ(Db.run(), "good1.c");
  Words Failed;
  for (const FailedUnit &F : Db.List.Failed)
    Failed.push_back(F.File + ": " + F.Reason);
  std::string Root = Db.path("");
  Root.pop_back();
  EXPECT_EQ(Failed,
            (Words{"/dev/zero: is not a regular file",
                   "directory.c: is a directory, not a source file",
                   "fifo.c: is not a regular file",
                   "good2.c: -include " + Db.path("fifo.c") +
                       ": is not a regular file",
                   "missing.c: no such file, though a compile command of "
                   "directory " +
                       Root + " names it"}));
}

TEST(CompileDatabase, BrokenEntriesAreFailedUnits) {
  Json Db(input("broken-entries.json"));
  for (const char *Name : {"good1.c", "good2.c", "extra.c"})
    Db.file(Name);
  EXPECT_EQ(Db.run(), "extra.c good1.c good2.c");
  EXPECT_EQ(Db.List.Failed.size(), 10u);
  EXPECT_TRUE(std::is_sorted(
      Db.List.Failed.begin(), Db.List.Failed.end(),
      [](const auto &A, const auto &B) { return A.File < B.File; }));
}

TEST(CompileDatabase, BadDatabasesAreErrors) {
  Json Deep(std::string(300000, '['));
  EXPECT_NE(Deep.run().find("levels deep"), std::string::npos);
  Json Empty("[]");
  EXPECT_NE(Empty.run().find("has no command for ."), std::string::npos);
  Json Fifo("");
  llvm::sys::fs::remove(Fifo.path("compile_commands.json"));
  ASSERT_EQ(mkfifo(Fifo.path("compile_commands.json").c_str(), 0600), 0);
  EXPECT_NE(Fifo.run().find("is not a regular file"), std::string::npos);
}

TEST(CompileDatabase, JsonOfABuiltTreeUsesItsDependencies) {
  Kernel Tree;
  Tree.build();
  std::string Text;
  for (const char *Stem : {"k/a", "k/b", "m/c"})
    Text += (Text.empty() ? "[" : ",") +
            ("{\"directory\":\"" + Tree.path("obj") + "\",\"file\":\"" +
             Tree.path("src/") + Stem + ".c\",\"arguments\":[\"gcc\"," +
             "\"-D__KERNEL__\",\"-c\",\"-o\",\"" + Stem + ".o\"]}");
  Tree.file("obj/compile_commands.json", Text + "]");
  EXPECT_EQ(Tree.run({"."}), "k/a.c k/b.c m/c.c");
  EXPECT_EQ(Tree.List.Origin, "compile_commands.json");
  EXPECT_EQ(Tree.run({"."}, {"box"}), "k/a.c m/c.c");
  EXPECT_EQ(Tree.run({"k/part.c"}), "k/a.c");
  Tree.Options.BuildDirs = {Tree.path("obj/compile_commands.json")};
  EXPECT_EQ(Tree.run({"k"}), "k/a.c k/b.c");
}

TEST(CompileDatabase, InputOrderDoesNotMatter) {
  Words Entries;
  for (const char *Name : {"a.c", "b.c"})
    for (const char *Flag : {"-DX=1", "-DX=2"})
      Entries.push_back(std::string("{\"directory\":\".\",\"file\":\"") + Name +
                        "\",\"arguments\":[\"cc\",\"" + Flag + "\",\"-c\",\"" +
                        Name + "\"]}");
  llvm::sort(Entries);
  Json Db("");
  Db.file("a.c");
  Db.file("b.c");
  std::vector<CompileUnit> First;
  do {
    Db.file("compile_commands.json", "[" + Entries[0] + "," + Entries[1] + "," +
                                         Entries[2] + "," + Entries[3] + "]");
    ASSERT_EQ(Db.run(), "a.c a.c b.c b.c");
    if (First.empty())
      First = Db.List.Units;
    ASSERT_TRUE(Db.List.Units == First);
  } while (std::next_permutation(Entries.begin(), Entries.end()));
}

} // namespace
} // namespace kst
