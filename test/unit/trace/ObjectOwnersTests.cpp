// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/trace/ObjectOwners.h"
#include "hybrid/trace/Trace.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

constexpr uint32_t F = 1, G = 2;

TEST(ObjectOwners, TheCpuThatUsesAnObjectMostOwnsIt) {
  ObjectOwners Owners;
  for (uint32_t Function : {F, G, F, G})
    EXPECT_FALSE(Owners.use(64, 1, 0, Function, NoCpu).ByOther);
  const auto Visit = Owners.use(64, 1, 1, F, NoCpu);
  EXPECT_TRUE(Visit.ByOther);
  EXPECT_TRUE(Visit.Arrives);
  EXPECT_TRUE(Visit.Begins);
  const auto More = Owners.use(64, 1, 1, F, NoCpu);
  EXPECT_TRUE(More.ByOther);
  EXPECT_FALSE(More.Arrives);
  EXPECT_FALSE(More.Begins);
  EXPECT_TRUE(Owners.use(64, 1, 1, G, NoCpu).Begins);
  EXPECT_FALSE(Owners.use(64, 1, 0, F, NoCpu).ByOther);
}

TEST(ObjectOwners, AMajorityIsForgotten) {
  ObjectOwners Owners;
  for (int I = 0; I < 1000; ++I)
    Owners.use(64, 1, 0, I % 2 ? F : G, NoCpu);
  int ByOther = 0;
  for (int I = 0; I < 100; ++I)
    ByOther += Owners.use(64, 1, 1, I % 2 ? F : G, NoCpu).ByOther;
  EXPECT_EQ(ByOther, 16);
}

TEST(ObjectOwners, AnotherObjectAtTheAddressHasAnotherOwner) {
  ObjectOwners Owners;
  Owners.use(64, 1, 0, F, NoCpu);
  EXPECT_FALSE(Owners.use(64, 2, 1, F, NoCpu).ByOther);
}

TEST(ObjectOwners, PerCpuObjectsHaveTheirCpu) {
  ObjectOwners Owners;
  EXPECT_TRUE(Owners.use(64, 0, 1, F, 0).ByOther);
  EXPECT_FALSE(Owners.use(64, 0, 0, F, 0).ByOther);
}

TEST(ObjectOwners, AnotherOtherIsSeenWhenItArrives) {
  ObjectOwners Owners;
  EXPECT_FALSE(Owners.use(64, 0, 1, F, 0).Changes); // the first
  EXPECT_FALSE(Owners.use(64, 0, 0, F, 0).Changes); // the owner
  EXPECT_FALSE(Owners.use(64, 0, 1, F, 0).Changes); // the same again
  EXPECT_TRUE(Owners.use(64, 0, 2, F, 0).Changes);
  EXPECT_FALSE(Owners.use(64, 0, 2, G, 0).Changes); // it is still there
  Owners.use(64, 0, 0, F, 0);
  EXPECT_TRUE(Owners.use(64, 0, 1, F, 0).Changes);
}

} // namespace
