// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/Sites.h"

#include <gtest/gtest.h>

#include <thread>

using namespace kst;

TEST(RecordedSites, OneAddressHasOneNumber) {
  RecordedSites Sites;
  EXPECT_EQ(Sites.number(0xffffffff81000010), 0u);
  EXPECT_EQ(Sites.number(0xffffffff81000020), 1u);
  EXPECT_EQ(Sites.number(0xffffffff81000010), 0u);
  EXPECT_EQ(Sites.takeNew(),
            (std::vector<uint64_t>{0xffffffff81000010, 0xffffffff81000020}));
  EXPECT_TRUE(Sites.takeNew().empty());
}

TEST(RecordedSites, ThreadsReadAddressesWhileOthersAdd) {
  RecordedSites Sites;
  constexpr uint64_t Count = 100000;
  auto Walk = [&](uint64_t Step) {
    for (uint64_t I = 0; I < Count; ++I)
      ASSERT_EQ(Sites.pc(Sites.number(8 * (I * Step % Count))),
                8 * (I * Step % Count));
  };
  std::thread Other([&] { Walk(7); });
  Walk(1);
  Other.join();
  EXPECT_EQ(Sites.takeNew().size(), Count);
}

TEST(RecordedSite, SurvivesTheWayThroughQemu) {
  for (RecordedSite Site :
       {RecordedSite{0, true}, RecordedSite{1u << 31, false}}) {
    RecordedSite Back = RecordedSite::of(Site.word());
    EXPECT_EQ(Back.Number, Site.Number);
    EXPECT_EQ(Back.Bulk, Site.Bulk);
  }
}
