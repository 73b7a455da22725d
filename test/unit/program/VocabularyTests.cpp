// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/vocabulary/Vocabulary.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace kst;

namespace {

TEST(Vocabulary, MatchesWholeNamesWordsAndPatterns) {
  struct {
    NameKind Kind;
    std::string_view Name;
    bool Expected;
  } Cases[] = {
      {NameKind::LockType, "mutex", true},
      {NameKind::LockType, "mutex_waiter", false},
      {NameKind::LockType, "", false},
      {NameKind::ConfigurationFunction, "rebuild_domains", true},
      {NameKind::ConfigurationFunction, "rebuilding_domains", false},
      {NameKind::ConfigurationFunction, "domains_rebuild", true},
      {NameKind::ErrorLabel, "out_error", true},
      {NameKind::ErrorLabel, "terror", false},
      {NameKind::Sleep, "schedule_timeout", true},
      {NameKind::Sleep, "reschedule", false},
      {NameKind::LastReference, "atomic_dec_and_test", true},
      {NameKind::LastReference, "dec_and_test", false},
      {NameKind::CpuLoop, "for_each_possible_cpu", true},
      {NameKind::CpuLoop, "for_each_zone", false},
      {NameKind::Trap, "1:\tud2\n", true},
      {NameKind::Trap, "brk\t0x800", true},
      {NameKind::Trap, "sbrk_area", false},
      {NameKind::ByteOrderType, "__le32", true},
      {NameKind::UserHeader, "/linux/include/uapi/linux/in.h", true},
      {NameKind::UserHeader, "include/linux/in.h", false},
  };
  for (const auto &Case : Cases)
    EXPECT_EQ(isA(Case.Kind, Case.Name), Case.Expected) << Case.Name;
}

std::string roles(std::string_view Function) {
  std::string Text;
  for (const NameUse &Use : lifetimeRoles(Function))
    Text += std::to_string(int(Use.Kind) - int(NameKind::Dying)) + ":" +
            std::to_string(Use.Argument) + "," + std::to_string(Use.Other) +
            " ";
  return Text;
}

TEST(Vocabulary, KnowsVariantsOfFunctionsThatMakeAndFree) {
  EXPECT_EQ(roles("kmalloc"), "1:0,0 ");
  EXPECT_EQ(roles("__kmalloc_node_track_caller_noprof"), roles("kmalloc"));
  EXPECT_EQ(roles("kmem_cache_free"), "3:1,0 ");
  EXPECT_EQ(roles("call_rcu"), "0:0,1 3:0,0 "); // dies, then is freed
  EXPECT_EQ(roles("kmalloc_something"), "");
  EXPECT_EQ(roles("___"), "");
}

TEST(Vocabulary, KeepsTheOrderOfUses) {
  auto Doors = usesOf(NameKind::ToUserSpace, NameKind::ToDevice);
  ASSERT_FALSE(Doors.empty());
  EXPECT_EQ(Doors.front().Name, "copy_to_user");
  EXPECT_EQ(Doors.back().Name, "kvec.iov_base");
  EXPECT_EQ(Doors.back().Argument, NameUse::Member);
  EXPECT_EQ(meaningOf(Doors.back().Kind), "a file or socket");
}

TEST(Vocabulary, SaysNoNameTwice) {
  for (int Kind = 0; Kind <= int(NameKind::LockReleased); ++Kind) {
    auto Names = namesOf(NameKind(Kind));
    EXPECT_FALSE(Names.empty()) << Kind;
    EXPECT_EQ(std::set(Names.begin(), Names.end()).size(), Names.size())
        << Kind;
  }
}

} // namespace
