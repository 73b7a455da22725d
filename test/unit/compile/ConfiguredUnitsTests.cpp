// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ConfiguredUnits.h"

#include "test/unit/support/TempTree.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

const char *const Model =
    "savedcmd_kernel/bounds.s := gcc -Wp,-MMD,x.d -nostdinc "
    "-I$S/arch/mine/include -I./include -include $S/include/linux/kconfig.h "
    "-D__KERNEL__ -DALL -pg -I$S/. -I. -DKBUILD_MODFILE='\"./bounds\"' "
    "-DKBUILD_BASENAME='\"bounds\"' -DKBUILD_MODNAME='\"bounds\"' "
    "-D__KBUILD_MODNAME=kmod_bounds -fverbose-asm -S -o kernel/bounds.s "
    "$S/kernel/bounds.c\n\nsource_kernel/bounds.s := $S/kernel/bounds.c\n\n"
    "deps_kernel/bounds.s := \\\n  x.h \\\n\n";

/// A kernel that is configured; `make prepare` left what the kernel's left.
struct Configured : TempTree {
  Configured() {
    file("s/Kbuild", "obj-y += k/ $(ARCH_LIB)\nobj-$(CONFIG_OFF) += off/\n");
    file("s/Makefile",
         "top := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))\n"
         "ifeq ($(sub_make_done),1)\ninclude $(top)/arch/$(SRCARCH)/"
         "Makefile\nendif\nKBUILD_CFLAGS_MODULE := -DMODULE\n"
         "export ARCH_LIB := $(filter %/, $(libs-y))\n");
    file("s/arch/mine/Makefile", "libs-y += arch/mine/lib/\n");
    file("s/arch/mine/lib/Makefile", "lib-y += l.stub.o\n");
    file("s/arch/mine/lib/l.c");
    file("s/off/Makefile", "obj-y += o.o\n");
    file("s/off/o.c");
    file("s/k/Makefile",
         "obj-y += sub/ a.o both.o asm.o made.o\nsubdir-ccflags-y := -DIN\n"
         "CFLAGS_a.o := -DONLY $(call cc-option,-DYES) "
         "$(call cc-option,--no-such,-DNO)\nCFLAGS_REMOVE_a.o := -pg\n"
         "obj-$(CONFIG_M) += m-m.o\nm-m-y := parts/m.o\n");
    for (const char *Name :
         {"a.c", "asm.S", "part.c", "priv.h", "unused.c", "parts/m.c"})
      file(std::string("s/k/") + Name);
    file("s/k/both.c", "#include \"part.c\"\n # include \"priv.h\"\n");
    file("s/k/sub/Kbuild", "obj-y += deep/d.o\n");
    file("s/k/sub/Makefile", "obj-y += wrong.o\n");
    file("s/k/sub/deep/d.c");
    dir("o");
    std::string Text = Model;
    for (size_t At; (At = Text.find("$S")) != std::string::npos;)
      Text.replace(At, 2, path("s"));
    file("o/kernel/.bounds.s.cmd", Text);
    Tree = {path("s"), path("o"), /*Kernel=*/true};
    Config = parseKernelConfig("CONFIG_MINE=y\nCONFIG_M=m\n");
  }

  ConfiguredListing list(const char *Relative,
                         llvm::ArrayRef<BuildEntry> Built = {}) {
    ConfiguredUnits Units(Tree, Config, Template);
    if (llvm::Error E = Units.open(Built)) {
      ADD_FAILURE() << llvm::toString(std::move(E));
      return {};
    }
    From = Units.modelSource();
    return Units.list(Relative);
  }
  Words names(const char *Relative) {
    Words Out;
    for (const BuildEntry &Entry : list(Relative).Entries)
      Out.push_back(Tree.relative(Entry.Command.File));
    return Out;
  }

  SourceTree Tree;
  KernelConfig Config;
  std::string Template, From;
};

TEST(ConfiguredUnits, SelectsWhatTheMakefilesCompile) {
  Configured Kernel;
  const Words All{"k/a.c", "k/both.c", "k/parts/m.c", "k/sub/deep/d.c"};
  EXPECT_EQ(Kernel.names("k"), All);
  Words Whole = All;
  Whole.insert(Whole.begin(), "arch/mine/lib/l.c");
  EXPECT_EQ(Kernel.names(""), Whole);
  EXPECT_EQ(Kernel.names("off"), Words());
  EXPECT_EQ(Kernel.names("k/sub/deep"), Words{"k/sub/deep/d.c"});
  EXPECT_EQ(Kernel.names("k/a.c"), Words{"k/a.c"});
  EXPECT_EQ(Kernel.names("k/part.c"), Words{"k/both.c"});
  EXPECT_EQ(Kernel.names("k/priv.h"), Words{"k/both.c"});
  EXPECT_EQ(Kernel.names("k/unused.c"), Words());
  ConfiguredListing Listing = Kernel.list("k");
  EXPECT_EQ(Listing.Ungenerated, Words{"k/made"});
  EXPECT_EQ(Listing.OtherLanguages, 1u);
}

TEST(ConfiguredUnits, TakesTheFlagsOfWhatIsBuilt) {
  Configured Kernel;
  ConfiguredListing Listing = Kernel.list("k");
  EXPECT_EQ(Kernel.From, "kernel/bounds.c");
  ASSERT_EQ(Listing.Entries.size(), 4u);
  const std::string S = Kernel.path("s");
  const Words Head{"gcc",          "-nostdinc", "-I" + S + "/arch/mine/include",
                   "-I./include",  "-include",  S + "/include/linux/kconfig.h",
                   "-D__KERNEL__", "-DALL"};
  auto With = [&](Words More) {
    Words Out = Head;
    Out.insert(Out.end(), More.begin(), More.end());
    return Out;
  };
  EXPECT_EQ(Listing.Entries[0].Command.Args,
            With({"-DIN", "-DONLY", "-DYES", "-DNO", "-I" + S + "/k", "-Ik",
                  "-DKBUILD_MODFILE=\"k/a\"", "-DKBUILD_BASENAME=\"a\"",
                  "-DKBUILD_MODNAME=\"a\"", "-D__KBUILD_MODNAME=kmod_a", "-c",
                  "-o", "k/a.o", S + "/k/a.c"}));
  EXPECT_EQ(Listing.Entries[2].Command.Args,
            With({"-pg", "-DIN", "-I" + S + "/k", "-Ik", "-DMODULE",
                  "-DKBUILD_BASENAME=\"m\"", "-DKBUILD_MODNAME=\"m_m\"",
                  "-D__KBUILD_MODNAME=kmod_m_m", "-c", "-o", "k/parts/m.o",
                  S + "/k/parts/m.c"}));
  for (const BuildEntry &Entry : Listing.Entries)
    EXPECT_EQ(Entry.Origin, CommandOrigin::Model);
}

TEST(ConfiguredUnits, LearnsFromAPlainUnitOnly) {
  Configured Kernel;
  llvm::sys::fs::remove(Kernel.path("o/kernel/.bounds.s.cmd"));
  Kernel.file("s/k/sub/Kbuild", "obj-y += deep/d.o\n");
  Kernel.file("s/k/Makefile", "obj-y += own.o plain.o new.o\n"
                              "CFLAGS_own.o := -DOWN\n");
  for (const char *Name : {"own.c", "plain.c", "new.c"})
    Kernel.file(std::string("s/k/") + Name);
  std::vector<BuildEntry> Built;
  for (std::string Name : {"own", "plain"}) {
    BuildEntry &Entry = Built.emplace_back();
    Entry.Kernel = true;
    Entry.Command = {Kernel.path("o"),
                     Kernel.path("s/k/" + Name + ".c"),
                     Kernel.path("o/k/" + Name + ".o"),
                     {"clang", "-Iarch/mine/include", "-include", "x.h",
                      "-D__KERNEL__", "-DWORD" + Name,
                      "-DKBUILD_MODNAME=\"" + Name + "\"", "-c",
                      Kernel.path("s/k/" + Name + ".c")}};
  }
  ConfiguredListing Listing = Kernel.list("k/new.c", Built);
  EXPECT_EQ(Kernel.From, "k/plain.c");
  ASSERT_EQ(Listing.Entries.size(), 1u);
  EXPECT_TRUE(
      llvm::is_contained(Listing.Entries[0].Command.Args, "-DWORDplain"));
}

TEST(ConfiguredUnits, TakesTheTemplateWhereNothingWasCompiled) {
  Configured Kernel;
  llvm::sys::fs::remove(Kernel.path("o/kernel/.bounds.s.cmd"));
  Kernel.file("template.json", R"([{"condition": "CONFIG_MINE",
    "directory": "@KOBJ@", "file": "@FILE@", "arguments":
    ["cc", "-I@KSRC@/arch/mine/include", "@CCFLAGS@", "@FILE@"]}])");
  Kernel.Template = Kernel.path("template.json");
  ConfiguredListing Listing = Kernel.list("k/a.c");
  ASSERT_EQ(Listing.Entries.size(), 1u);
  EXPECT_EQ(Listing.Entries[0].Origin, CommandOrigin::Template);
  EXPECT_EQ(Listing.Entries[0].Command.Args,
            (Words{"cc", "-I" + Kernel.path("s") + "/arch/mine/include", "-DIN",
                   "-DONLY", "-DYES", "-DNO", Kernel.path("s/k/a.c")}));
}

} // namespace
} // namespace kst
