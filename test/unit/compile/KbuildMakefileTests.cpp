// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildMakefile.h"
#include "analyzer/compile/KernelConfig.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

KbuildDirectory parse(llvm::StringRef Text, bool BuiltIn = true) {
  SourceTree Tree{"/src", "/obj"};
  KernelConfig Config = parseKernelConfig("CONFIG_A=y\nCONFIG_M=m\n"
                                          "# CONFIG_OFF is not set\n"
                                          "CONFIG_NAME=\"text\"\nCONFIG_N=7\n");
  MakeHost Host;
  Makefile Top(Host);
  for (const auto &Entry : Config.Values)
    Top.set(Entry.getKey(), Entry.getValue());
  Top.set("SRCARCH", "x86");
  Top.set("BITS", "64");
  KbuildPlace Place{"net/x", BuiltIn, "-Dbase -pg"};
  return readKbuildFile(Text, Place, Tree, Host, Top);
}

Words stems(llvm::StringRef Text) {
  Words Out;
  for (const KbuildObject &Object : parse(Text).Objects)
    Out.push_back(Object.Stem.substr(6) + (Object.Loadable ? " m" : ""));
  return Out;
}

TEST(KbuildMakefile, ListsObjects) {
  struct {
    const char *Text;
    Words Expected;
  } Cases[] = {
      {"obj-y += a.o b.o # c.o\n", {"a", "b"}},
      {"obj-y := a.o \\\n\tb.o\n", {"a", "b"}},
      {"obj-$(CONFIG_A) += a.o\nobj-$(CONFIG_OFF) += b.o\n", {"a"}},
      {"obj-$(CONFIG_M) += a.o\n", {"a m"}},
      {"obj-m += m.o\nm-y := p.o q.o\nm-$(CONFIG_A) += r.o\n",
       {"p m", "q m", "r m"}},
      {"obj-y += c.o\nc-objs := p.o\n", {"p"}},
      {"obj-y += c.o\nc-$(CONFIG_OFF) := p.o\n", {}},
      {"obj-y += a.o\nobj-m += a.o b.o\n", {"a", "b m"}},
      {"obj-y += a.o\nlib-y += a.o b.o\n", {"a", "b"}},
      {"obj-y += $(foreach n,1 2,f$(n).o)\n", {"f1", "f2"}},
      {"obj-y += $(patsubst %,p/%,a.o)\n", {"p/a"}},
      {"extra-y += e.o vmlinux.lds\n", {"e"}},
      {"obj-y += a.o\nobj-y += a.o\n", {"a"}},
      {"lib-y += l.o\n", {"l"}},
      {"x := a.o\nobj-y += $(x)\n", {"a"}},
      {"obj-y += $(addprefix d/, a.o b.o)\n", {"d/a", "d/b"}},
      {"obj-$(subst m,y,$(CONFIG_M)) += a.o\n", {"a"}},
      {"obj-y += $(if $(CONFIG_A),a.o,b.o)\n", {"a"}},
      {"obj-y += f$(BITS).o $(SRCARCH).o\n", {"f64", "x86"}},
      {"obj-y += $(call f,a.o) b.o\n", {"b"}},
      {"obj-y += a.o $(unclosed", {"a"}},
      {"ifdef CONFIG_A\nobj-y += a.o\nelse\nobj-y += b.o\nendif\n", {"a"}},
      {"ifndef CONFIG_A\nobj-y += a.o\nelse\nobj-y += b.o\nendif\n", {"b"}},
      {"ifeq ($(CONFIG_A),y)\nobj-y += a.o\nendif\nobj-y += c.o\n", {"a", "c"}},
      {"ifneq ($(CONFIG_OFF),)\nobj-y += a.o\nendif\n", {}},
      {"ifeq ($(CONFIG_OFF),y)\nobj-y += a.o\nelse ifeq ($(CONFIG_A),y)\n"
       "obj-y += b.o\nelse\nobj-y += c.o\nendif\nobj-y += d.o\n",
       {"b", "d"}},
      {"ifdef CONFIG_OFF\nifdef CONFIG_A\nobj-y += a.o\nendif\n"
       "else\nobj-y += b.o\nendif\n",
       {"b"}},
      {"ifdef CONFIG_A\nobj-y += a.o\nelse ifdef CONFIG_A\nobj-y += b.o\n"
       "endif\n",
       {"a"}},
      {"$(obj)/a.o: b.c\n\tcc -DX=1 obj-y += z.o\n", {}},
      {"endif\nelse\nendif\nobj-y += a.o\n", {"a"}},
      {"x = $(x)\nobj-y += $(x) a.o\n", {"a"}},
  };
  for (const auto &C : Cases)
    EXPECT_EQ(stems(C.Text), C.Expected) << C.Text;
}

TEST(KbuildMakefile, ListsDirectoriesAndModules) {
  KbuildDirectory Out = parse("obj-y += sub/ ../y/\nobj-$(CONFIG_M) += m/\n"
                              "obj-$(CONFIG_OFF) += off/\n"
                              "obj-m += mod.o\nmod-y := d/part.o\n");
  Words Subdirs;
  for (const KbuildPlace &Sub : Out.Subdirs)
    Subdirs.push_back(Sub.Directory + (Sub.BuiltIn ? "" : " m"));
  EXPECT_EQ(Subdirs, (Words{"net/x/sub", "net/y", "net/x/m m"}));
  ASSERT_EQ(Out.Objects.size(), 1u);
  EXPECT_EQ(Out.Objects[0].Stem, "net/x/d/part");
  EXPECT_EQ(Out.Objects[0].Module, "mod");
  EXPECT_EQ(Out.Objects[0].ModuleFile, "net/x/mod");
}

TEST(KbuildMakefile, WhatOnlyModulesReachIsNotBuiltIn) {
  const char *Text = "obj-y += a.o\nobj-m += m.o\nlib-y += l.o\nobj-y += s/\n";
  KbuildDirectory Out = parse(Text, /*BuiltIn=*/false);
  Words Stems;
  for (const KbuildObject &Object : Out.Objects)
    Stems.push_back(Object.Stem);
  EXPECT_EQ(Stems, (Words{"net/x/l", "net/x/m"}));
  ASSERT_EQ(Out.Subdirs.size(), 1u);
  EXPECT_FALSE(Out.Subdirs[0].BuiltIn);
}

TEST(KbuildMakefile, NamesComposites) {
  KbuildDirectory Out = parse("obj-m += b-m.o a.o\nb-m-y := p.o\n"
                              "a-objs := p.o q.o\nobj-y += d/single.o\n");
  ASSERT_EQ(Out.Objects.size(), 3u);
  EXPECT_EQ(Out.Objects[0].Module, "single");
  EXPECT_EQ(Out.Objects[0].ModuleFile, "net/x/single");
  EXPECT_EQ(Out.Objects[1].Module, "a:b-m"); // p.o
  EXPECT_EQ(Out.Objects[2].Module, "a");
}

// By _c_flags of scripts/Makefile.lib.
TEST(KbuildMakefile, KeepsTheOrderOfFlags) {
  KbuildDirectory Out =
      parse("ccflags-y += -I$(src) -I $(srctree)/inc -DX='\"a b\"' -O3\n"
            "ccflags-$(CONFIG_A) += -I$(srctree)/$(src)/old\n"
            "subdir-ccflags-y := -DSUB\n"
            "KBUILD_CFLAGS += -DALL\n"
            "CFLAGS_a.o := -DONLY_A -fno-x\n"
            "CFLAGS_REMOVE_a.o = -O% -pg\n"
            "ccflags-remove-y += -DSUB\n"
            "obj-y += a.o b.o c/\n");
  ASSERT_EQ(Out.Objects.size(), 2u);
  EXPECT_EQ(Out.Objects[0].Flags,
            (Words{"-Dbase", "-DALL", "-I/src/net/x", "-I", "/src/inc",
                   "-DX=\"a b\"", "-I/src/net/x/old", "-DONLY_A", "-fno-x"}));
  EXPECT_EQ(Out.Objects[1].Flags,
            (Words{"-Dbase", "-pg", "-DALL", "-I/src/net/x", "-I", "/src/inc",
                   "-DX=\"a b\"", "-O3", "-I/src/net/x/old"}));
  ASSERT_EQ(Out.Subdirs.size(), 1u);
  EXPECT_EQ(Out.Subdirs[0].Flags, "-Dbase -pg -DALL -DSUB");
}

TEST(KernelConfig, Conditions) {
  KernelConfig Config =
      parseKernelConfig("CONFIG_Y=y\nCONFIG_M=m\nCONFIG_V=3\n");
  EXPECT_TRUE(Config.holds("CONFIG_Y"));
  EXPECT_TRUE(Config.holds("CONFIG_M"));
  EXPECT_FALSE(Config.holds("CONFIG_V"));
  EXPECT_FALSE(Config.holds("CONFIG_NONE"));
  EXPECT_TRUE(Config.holds("!CONFIG_NONE"));
  EXPECT_FALSE(Config.holds("!CONFIG_Y"));
  EXPECT_TRUE(Config.holds(""));
  EXPECT_EQ(Config.get("CONFIG_V"), "3");
}

} // namespace
} // namespace kst
