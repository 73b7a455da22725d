// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/MakeFunctions.h"
#include "analyzer/compile/Makefile.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

/// The value of X after the text.
std::string valueOf(llvm::StringRef Text, const MakeHost &Host = {}) {
  Makefile File(Host);
  File.read(Text);
  return File.value("X");
}

// Each right side is what GNU make 4.3 prints for $(info $(X)).
TEST(Makefile, ComputesVariables) {
  struct {
    const char *Text, *Expected;
  } Cases[] = {
      {"X = $(Y)\nY = 1\n", "1"},
      {"X := $(Y)\nY = 1\n", ""},
      {"X ::= a\n", "a"},
      {"Y = 1\nX = a\nX += $(Y)\nY = 2\n", "a 2"},
      {"Y = 1\nX := a\nX += $(Y)\nY = 2\n", "a 1"},
      {"X = a\nX ?= b\n", "a"},
      {"X ?= b\n", "b"},
      {"X =\nX ?= b\n", ""},
      {"export X := a\noverride X += b\n", "a b"},
      {"X := a # c\n", "a "},
      {"X := a\\#b\n", "a#b"},
      {"X := a \\\n   b\n", "a b"},
      {"define Y\na\nb\nendef\nX := $(Y)\n", "a\nb"},
      {"Y := o.c\nX := $(Y:.c=.o) $(Y:%.c=x-%)\n", "o.o x-o"},
      {"N := Y\nY := v\nX := $($(N)) ${N} $N\n", "v Y Y"},
      {"X := $$\n", "$"},
      {"f = <$(1)|$(2)|$(3)>\nX := $(call f,a,b c)\n", "<a|b c|>"},
      {"f = $(if $(2),$(call g,$(1)))$(1)\ng = [$(1)]\n"
       "X := $(call f,p,q) $(call f,p)\n",
       "[p]p p"},
      {"X := $(foreach v,a b,$(v)$(v))\n", "aa bb"},
      {"Y := v\nX := $(foreach Y,a b,$(Y)) $(Y)\n", "a b v"},
      {"$(foreach v,a b,$(eval V$(v) := <$(v)>))\nX := $(Va)$(Vb)\n", "<a><b>"},
      {"X := $(if ,a,b)$(if  ,a)$(if c,d,e)\n", "bd"},
      {"X := $(or ,b,c)$(and a,,c)$(and a,b)\n", "bb"},
      {"Y = $(Z)\nX := $(value Y) $(origin Y) $(origin Q) $(flavor Y)\n",
       "$(Z) file undefined recursive"},
      {"X := $(shell echo a)$(wildcard *)b\n", "b"},
      {"X := $(subst a,b,aaca) $(patsubst %.c,%.o,x.c y.S)\n", "bbcb x.o y.S"},
      {"X := $(filter %.o a,a b c.o) $(filter-out %.o a,a b c.o)\n", "a c.o b"},
      {"X := $(sort c a b a) $(words a b) $(word 2,a b) $(lastword a b)\n",
       "a b c 2 b b"},
      {"X := $(dir a/b c) $(notdir a/b c) $(basename a/b.c) $(suffix a.c)\n",
       "a/ ./ b c a/b .c"},
      {"X := $(addprefix d/,a b)$(addsuffix /,c)\n", "d/a d/bc/"},
      {"X := $(strip  a  b ) $(findstring b,abc)$(firstword a b)\n", "a b ba"},
      {"X := $(wordlist 2,3,a b c d)\n", "b c"},
      {"X := $(abspath /a/b/ /a/../c)\n", "/a/b /c"},
  };
  for (const auto &C : Cases)
    EXPECT_EQ(valueOf(C.Text), C.Expected) << C.Text;
}

TEST(Makefile, FollowsConditionals) {
  const char *const Taken[] = {
      "ifeq (a,a)\nX=1\nendif\n",
      "ifeq ($(N),)\nX=1\nendif\n",
      "ifeq \"a\" 'a'\nX=1\nendif\n",
      "ifneq(a,b)\nX=1\nendif\n",
      "Y=$(Z)\nifdef Y\nX=1\nendif\n",
      "Y=\nifndef Y\nX=1\nendif\n",
      "ifeq (a,b)\nelse ifeq (a,a)\nX=1\nelse\nX=2\nendif\n",
      "ifeq (a,a)\nX=1\nelse ifeq (a,a)\nX=2\nelse\nX=3\nendif\n",
      "ifeq (a,b)\nifeq (a,a)\nX=2\nelse\nX=3\nendif\nelse\nX=1\nendif\n",
      "ifeq (a,a)\n\tX=1\nendif\n",
      "ifeq ($(subst a,b,a),b)\nX=1\nendif\n",
      "else\nendif\nX=1\n",
  };
  for (const char *Text : Taken)
    EXPECT_EQ(valueOf(Text), "1") << Text;
}

TEST(Makefile, SkipsRules) {
  EXPECT_EQ(valueOf("X=1\nall: x\n\tX=2\nt: X=3\nt: X := 4\n$(a): b ; X=5\n"),
            "1");
  EXPECT_EQ(valueOf("t:\n\t$(shell touch /x)\nX=1\n"), "1");
}

TEST(Makefile, AsksItsHost) {
  MakeHost Host;
  Host.Read = [](llvm::StringRef File) -> std::optional<std::string> {
    if (File == "inc")
      return "Y := in\n";
    return std::nullopt;
  };
  Host.Match = [](llvm::StringRef Pattern) {
    return std::vector{Pattern.str() + "1"};
  };
  Host.Call =
      [](llvm::StringRef Name,
         llvm::ArrayRef<std::string> Args) -> std::optional<std::string> {
    return Name == "ask" ? std::optional("<" + Args[0] + ">") : std::nullopt;
  };
  EXPECT_EQ(valueOf("include inc\n-include gone\nask = no\n"
                    "X := $(Y) $(wildcard p*) $(call ask,q)\n",
                    Host),
            "in p*1 <q>");
}

TEST(Makefile, OuterVariablesStayAsTheyAre) {
  MakeHost Host;
  Makefile Outer(Host);
  Outer.read("X := a\nY = $(X)\n");
  Makefile Inner(Host, &Outer);
  Inner.read("X += b\n");
  EXPECT_EQ(Inner.value("Y"), "a b");
  EXPECT_EQ(Outer.value("X"), "a");
}

TEST(Makefile, HostileTextEnds) {
  std::string Doubling = "X0 = aaaaaaaaaaaaaaaa\n";
  for (int I = 1; I != 64; ++I)
    Doubling += "X" + std::to_string(I) + " = $(X" + std::to_string(I - 1) +
                ")$(X" + std::to_string(I - 1) + ")\n";
  EXPECT_LT(valueOf(Doubling + "X = $(X63)\n").size(), 64u << 20);
  EXPECT_EQ(valueOf("X = $(X)\n"), "");
  for (const char *Text :
       {"f = $(call f)$(call f)\nX := $(f)\n",
        "f = $(eval $(call f))$(eval $(call f))\n$(f)\nX := 1\n", "X := $(",
        "X := $(call", "X := ${a", "define X\na\n", "ifeq (a\nX=1\n",
        "X := $(word 99999999999999999999,a)\n",
        "ifeq\nifdef\nelse\n= a\n: b\n", "$(eval include $(MAKEFILE_LIST))\n"})
    valueOf(Text);
}

} // namespace
} // namespace kst
