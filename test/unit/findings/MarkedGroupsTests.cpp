// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/layout/Records.h"

#include "hybrid/core/MarkedGroups.h"

#include <gtest/gtest.h>

using namespace kst;
using namespace kst::test;

namespace {

TEST(MarkedGroups, FieldsAndBytesBetweenMarkers) {
  const RecordInfo R = record(
      {field("x", 8), marker("__cacheline_group_begin__fast"), field("a", 8),
       field("b", 4), marker("__cacheline_group_end__fast"), field("y", 4)});
  const std::vector<MarkedGroup> Groups = markedGroups(R);
  ASSERT_EQ(Groups.size(), 1u);
  EXPECT_EQ(Groups[0].Name, "fast");
  EXPECT_EQ(Groups[0].Fields, (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(Groups[0].Bytes, 12u);
  EXPECT_EQ(groupOfFields(R)[0], "");
  EXPECT_EQ(groupOfFields(R)[3], "fast");
}

TEST(MarkedGroups, WithoutAnEndThereIsNone) {
  EXPECT_TRUE(markedGroups(record({marker("__cacheline_group_begin__open"),
                                   field("a", 8)}))
                  .empty());
}

TEST(MarkedGroups, NamesSayWhatTheyAreFor) {
  EXPECT_EQ(useByName("tcp_sock_read_tx"), GroupUse::Read);
  EXPECT_EQ(useByName("sock_write_rx"), GroupUse::Written);
  EXPECT_EQ(useByName("frag"), GroupUse::Unknown);
  EXPECT_EQ(useByName("read_write"), GroupUse::Unknown);
}

} // namespace
