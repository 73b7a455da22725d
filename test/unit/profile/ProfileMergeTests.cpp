// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallProfile.h"

#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/profile/ProfileMerge.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

Profile merged(std::vector<NamedProfile> Of) {
  auto Sum = mergeProfiles(std::move(Of));
  EXPECT_TRUE(Sum) << Sum.error();
  if (!Sum)
    return Profile();
  EXPECT_FALSE(checkProfile(*Sum));
  return *Sum;
}

std::string refusal(std::vector<NamedProfile> Of) {
  auto Sum = mergeProfiles(std::move(Of));
  EXPECT_FALSE(Sum);
  return Sum.error();
}

TEST(ProfileMerge, CountsAdd) {
  Profile Sum = merged({{"a", smallProfile(1)}, {"b", smallProfile(10)}});
  Profile Wanted = smallProfile(11);
  Wanted.Runs = 2;
  EXPECT_TRUE(Sum == Wanted);
  EXPECT_EQ(Sum.Sites[0].Count + Sum.Sites[1].Count + Sum.Sites[2].Count,
            11u * 307);
}

TEST(ProfileMerge, DifferentTablesAsIfBuiltTogether) {
  Profile A = smallProfile(1), B = largeProfile(300, "b", 2);
  B.Structs[0].SizeBytes = 4096; // another `ring`: leave it a name of its own
  B.Strings.push_back("zring");
  B.Structs[0].Name = static_cast<TextId>(B.Strings.size() - 1);
  ASSERT_FALSE(checkProfile(B));
  Profile AB = merged({{"a", A}, {"b", B}}), BA = merged({{"b", B}, {"a", A}});
  EXPECT_TRUE(AB == BA);
  EXPECT_EQ(AB.Sites.size(), A.Sites.size() + B.Sites.size());
  EXPECT_EQ(AB.Regions.size(), A.Regions.size() + B.Regions.size());
  EXPECT_EQ(AB.Structs.size(), 3u);
  // Every row still says the same in words.
  for (const Profile *Of : {&A, &B})
    for (const MeasuredSite &S : Of->Sites) {
      bool Found = false;
      for (const MeasuredSite &T : AB.Sites)
        Found |= AB.text(T.Function) == Of->text(S.Function) &&
                 AB.text(T.File) == Of->text(S.File) && T.Line == S.Line &&
                 T.Kind == S.Kind && T.Count == S.Count &&
                 AB.text(AB.Structs[T.Struct].Name) ==
                     Of->text(Of->Structs[S.Struct].Name);
      EXPECT_TRUE(Found);
    }
}

TEST(ProfileMerge, SumsOfSumsAreTheSum) {
  std::vector<NamedProfile> All;
  for (int I = 0; I < 7; ++I) // overlapping sets of functions
    All.push_back({std::to_string(I),
                   largeProfile(40 + 10 * (I % 3), I % 2 ? "x" : "y", I)});
  for (int I = 0; I < 7; ++I)
    All[I].What.Text["label"] = I % 2 ? "one" : "two";
  Profile Once = merged(All);
  std::vector<NamedProfile> Front(All.begin(), All.begin() + 3),
      Back(All.begin() + 3, All.end());
  Profile Twice = merged({{"back", merged(Back)}, {"front", merged(Front)}});
  EXPECT_TRUE(Once == Twice);
  EXPECT_EQ(Once.Runs, 7u);
  EXPECT_EQ(Once.Text.at("label"), "one, two");
}

TEST(ProfileMerge, RefusesOtherKernelsByName) {
  for (const char *Key : {"source", "machine", "release", "config"}) {
    Profile A = smallProfile(), B = smallProfile(), Silent = smallProfile();
    A.Text[Key] = "this";
    B.Text[Key] = "that";
    Silent.Text.erase(Key);
    EXPECT_EQ(refusal({{"a.kstp", A}, {"c.kstp", Silent}, {"b.kstp", B}}),
              std::string("b.kstp: ") + Key +
                  " is 'that', in a.kstp it is 'this'");
    EXPECT_EQ(merged({{"a", A}, {"c", Silent}}).Text.at(Key), "this");
  }
}

Profile withRing(uint32_t Size, std::vector<MeasuredElement> Members,
                 bool Twice = false) {
  ProfileBuilder Make;
  Make.structure("ring", Size, Members);
  if (Twice)
    Make.structure("ring", 16, {});
  return *Make.finish();
}

TEST(ProfileMerge, RefusesOtherLayoutsByName) {
  Profile A = withRing(64, {{0, 8}, {8, 8}});
  EXPECT_EQ(refusal({{"a", A}, {"b", withRing(72, {{0, 8}, {8, 8}})}}),
            "b: struct ring has 72 bytes and 2 members, in a it has 64 bytes "
            "and 2 members");
  EXPECT_EQ(refusal({{"a", A}, {"b", withRing(64, {{0, 8}})}}),
            "b: struct ring has 64 bytes and 1 members, in a it has 64 bytes "
            "and 2 members");
  EXPECT_EQ(refusal({{"a", A}, {"b", withRing(64, {{0, 8}, {12, 8}})}}),
            "b: struct ring has another layout than in a: its member 2 has 8 "
            "bytes at offset 12, there 8 bytes at offset 8");
  // Unknown layout: nothing to refuse. Two structs of a name: one may be there.
  EXPECT_EQ(merged({{"a", A}, {"b", withRing(0, {})}}).Structs.size(), 2u);
  EXPECT_EQ(merged({{"a", A}, {"b", withRing(64, {{0, 8}, {8, 8}}, true)}})
                .Structs.size(),
            2u);
}

TEST(ProfileMerge, RefusesSumsThatDoNotFit) {
  Profile A = smallProfile(), B = smallProfile();
  A.Regions[0].Count = ~0ull;
  B.Regions[0].Count = 1;
  EXPECT_EQ(refusal({{"a", A}, {"b", B}}),
            "the sum of a count does not fit 64 bits");
  A = B = smallProfile();
  A.DurationNs = ~0ull;
  EXPECT_EQ(refusal({{"a", A}, {"b", B}}),
            "the sum of a count does not fit 64 bits");
  EXPECT_EQ(refusal({}), "no profile to merge");
}

TEST(ProfileMerge, WhatOneCountsIsCounted) {
  Profile A = smallProfile(), B = smallProfile();
  A.NotCounted = {A.NotCounted[0]};
  ASSERT_EQ(B.text(B.Regions[1].Function), "ring_push");
  B.NotCounted = {{B.Regions[1].Function, B.Regions[1].File}};
  Profile Sum = merged({{"a", A}, {"b", B}});
  // ring_push: A has sites of it and counts them. entry_stub: B knows nothing.
  ASSERT_EQ(Sum.NotCounted.size(), 1u);
  EXPECT_EQ(Sum.text(Sum.NotCounted[0].Function), "entry_stub");
}

} // namespace
