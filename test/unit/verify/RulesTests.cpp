// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/Rules.h"

#include "gtest/gtest.h"

namespace kst {
namespace {

TEST(Rules, SectionsByNameAndWhatFollowsADot) {
  EXPECT_EQ(forbiddenSection(".noinstr.text"), "noinstr");
  EXPECT_EQ(forbiddenSection(".noinstr.text.f"), "noinstr");
  EXPECT_EQ(forbiddenSection(".noinstr.textual"), std::nullopt);
  EXPECT_EQ(forbiddenSection(".text..__x86.indirect_thunk"), "thunk");
  EXPECT_EQ(forbiddenSection(".text"), std::nullopt);
  EXPECT_EQ(forbiddenSection(".sched.text"), std::nullopt);
  EXPECT_EQ(forbiddenSection(".init.text"), std::nullopt);
  EXPECT_EQ(forbiddenSection(""), std::nullopt);
}

TEST(Rules, FilesByTheirPath) {
  EXPECT_EQ(forbiddenFile("arch/x86/boot/compressed/misc.o"), "boot");
  EXPECT_EQ(forbiddenFile("/b/arch/x86/boot/main.o"), "boot");
  EXPECT_EQ(forbiddenFile("arch/x86/boot/vmlinux.o"), std::nullopt);
  EXPECT_EQ(forbiddenFile("arch/x86/realmode/init.o"), std::nullopt);
  EXPECT_EQ(forbiddenFile("arch/x86/realmode/rm/video.o"), "realmode");
  EXPECT_EQ(forbiddenFile("arch/boot/main.o"), std::nullopt);
  EXPECT_EQ(forbiddenFile("x/vdso32.so.dbg"), "vdso");
  EXPECT_EQ(forbiddenFile("purgatory.ro"), "purgatory");
  EXPECT_EQ(forbiddenFile("drivers/firmware/efi/libstub/lib.a"), "EFI stub");
  EXPECT_EQ(forbiddenFile("drivers/firmware/efi/efi.o"), std::nullopt);
  EXPECT_EQ(forbiddenFile("kernel/sched/core.o"), std::nullopt);
  EXPECT_EQ(forbiddenFile("arch/x86/kernel/head64.o"), "early");
  EXPECT_EQ(forbiddenFile("arch/x86/mm/head64.o"), std::nullopt);
}

TEST(Rules, ReferencesByName) {
  EXPECT_EQ(sectionReference(".data..percpu..kst"), Reference::Counter);
  EXPECT_EQ(sectionReference(".data..percpu..kstx"), std::nullopt);
  EXPECT_EQ(sectionReference(".data..percpu"), std::nullopt);
  EXPECT_EQ(sectionReference("__kst_units"), Reference::Table);
  EXPECT_EQ(symbolReference("__kst_rt_attach"), Reference::Runtime);
  EXPECT_EQ(symbolReference("__stop___kst_units"), Reference::Table);
  EXPECT_EQ(symbolReference("__start___ksymtab"), std::nullopt);
  EXPECT_EQ(symbolReference("kst_"), std::nullopt);
}

} // namespace
} // namespace kst
