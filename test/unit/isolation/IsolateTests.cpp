// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/Isolate.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

IsolationPlan planOf(std::vector<std::string> Order, const char *Cut) {
  IsolationPlan Out;
  Out.Asked.Section = ".text";
  Out.Asked.AlignBytes = 64;
  Out.Order = std::move(Order);
  CutRow Row;
  Row.Object = Cut;
  Row.AlignWas = 16;
  Out.Cuts.push_back(Row);
  return Out;
}

TEST(LinkerScript, NamesThatEndAlikeStayApart) {
  EXPECT_EQ(linkerScript(
                planOf({"arch/lib/string.o", "lib/string.o", "lib.a(string.o)"},
                       "lib/string.o")),
            "/* .text in link order; in place of *(.text) */\n"
            "*arch/lib/string.o(.text)\n"
            ". = ALIGN(64);\n"
            "*lib/string.o(EXCLUDE_FILE(*arch/lib/string.o) .text)\n"
            "*lib.a:string.o(.text)\n"
            "*(.text)\n");
}

TEST(ObjcopyLines, MembersAreTakenOutAndPutBack) {
  EXPECT_EQ(objcopyLines(planOf({"a.o", "b.o"}, "b.o")),
            "llvm-objcopy --set-section-alignment .text=64 b.o\n");
  EXPECT_EQ(objcopyLines(planOf({"a.o", "l.a(b.o)"}, "l.a(b.o)")),
            "llvm-ar x l.a b.o && llvm-objcopy --set-section-alignment "
            ".text=64 b.o && llvm-ar r l.a b.o\n");
  IsolationPlan Plan = planOf({"a.o", "b.o"}, "b.o");
  Plan.Cuts[0].AlignWas = 4096; // never lowered
  EXPECT_EQ(objcopyLines(Plan), "");
}

} // namespace
