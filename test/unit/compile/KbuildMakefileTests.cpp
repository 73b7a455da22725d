// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildMakefile.h"

#include <gtest/gtest.h>

using Words = std::vector<std::string>;

namespace kst {
namespace {

KbuildDirectory parse(llvm::StringRef Text) {
  SourceTree Tree{"/src", "/obj"};
  KernelConfig Config = parseKernelConfig("CONFIG_A=y\nCONFIG_M=m\n"
                                          "# CONFIG_OFF is not set\n"
                                          "CONFIG_NAME=\"text\"\nCONFIG_N=7\n");
  llvm::StringMap<std::string> Predefined;
  Predefined["SRCARCH"] = "x86";
  Predefined["BITS"] = "64";
  return parseKbuildMakefile(Text, "net/x", Tree, Config, Predefined);
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
  EXPECT_EQ(Out.Subdirs, (Words{"net/x/sub", "net/y", "net/x/m"}));
  ASSERT_EQ(Out.Objects.size(), 1u);
  EXPECT_EQ(Out.Objects[0].Stem, "net/x/d/part");
  EXPECT_EQ(Out.Objects[0].Module, "mod");
  EXPECT_EQ(Out.Objects[0].ModuleFile, "net/x/mod");
}

TEST(KbuildMakefile, KeepsMacrosAndIncludePaths) {
  KbuildDirectory Out =
      parse("ccflags-y += -I$(src) -I $(srctree)/inc -DX='\"a b\"' -Wall -O3\n"
            "ccflags-$(CONFIG_A) += -I$(srctree)/$(src)/old\n"
            "subdir-ccflags-y := -DSUB\n"
            "CFLAGS_a.o := -DONLY_A -fno-x\n"
            "obj-y += a.o b.o\n");
  ASSERT_EQ(Out.Objects.size(), 2u);
  EXPECT_EQ(Out.Objects[0].Flags,
            (Words{"-I/src/net/x", "-I/src/inc", "-DX=\"a b\"",
                   "-I/src/net/x/old", "-DONLY_A"}));
  EXPECT_EQ(Out.Objects[1].Flags.size(), 4u);
  EXPECT_EQ(Out.InheritedFlags, Words{"-DSUB"});
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
