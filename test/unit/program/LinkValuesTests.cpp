// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/LinkValues.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

constexpr uint32_t Many = 1000;

TEST(LinkValues, EqualValuesAreOne) {
  LinkValues Pool;
  std::vector<LinkId> Ids;
  for (uint32_t I = 0; I < Many; ++I)
    Ids.push_back(Pool.leaf(ValueKind::Param, I, I % 7));
  EXPECT_EQ(Pool.size(), Many);
  for (uint32_t I = 0; I < Many; ++I) {
    EXPECT_EQ(Pool.leaf(ValueKind::Param, I, I % 7), Ids[I]);
    EXPECT_EQ(Pool[Ids[I]].A, I);
  }
  EXPECT_EQ(Pool.size(), Many);
  EXPECT_NE(Pool.leaf(ValueKind::Global, 1, 1), Ids[1]);
}

TEST(LinkValues, ThoseOfTheBaseKeepTheirIds) {
  LinkValues Base;
  const LinkId Known = Base.leaf(ValueKind::Param, 3);
  LinkValues Own(&Base);
  EXPECT_EQ(Own.leaf(ValueKind::Param, 3), Known);
  for (uint32_t I = 0; I < Many; ++I) {
    const LinkId New = Own.leaf(ValueKind::Global, I);
    EXPECT_EQ(New, Base.size() + I);
    EXPECT_EQ(Own[New].A, I);
  }
  EXPECT_EQ(Own.field(Known, 1, 2), Own.field(Known, 1, 2));
  EXPECT_EQ(Base.size(), 1u);
  LinkValues None;
  EXPECT_EQ(LinkValues(&None).leaf(ValueKind::Param, 3), 0u);
}

} // namespace
