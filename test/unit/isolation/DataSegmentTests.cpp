// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/DataSegment.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// .tdata, .tbss, .data.rel.ro and .got of a static program, linked by GNU ld
/// 2.40, which begins its data at 0x4bb6a8.
TEST(DataSegment, ReadOnlyPartEndsWithAPage) {
  const uint64_t Dot = 0x4baa6e;
  EXPECT_EQ(firstDataStart(DataStart::Relro, Dot), 0x4bb000u);
  EXPECT_EQ(firstDataStart(DataStart::OldRelro, Dot), 0x4bba6eu);
  DataAhead Ahead;
  Ahead.Relro = {{0x4bb000, 0x28, 8, true},
                 {0x4bb028, 0x58, 8, false},
                 {0x4bb028, 0x10, 8, true},
                 {0x4bb040, 0x3848, 32, true},
                 {0x4be888, 0xb8, 8, true}};
  Ahead.RelroEnd = 0x4be940;
  Ahead.OffsetBytes = 0x18;
  EXPECT_EQ(relroDataStart(Ahead), 0x4bb6a8u);
  // .got ends 8 bytes before: .data.rel.ro is aligned.
  EXPECT_EQ(relroEnd(0x4befe0, 0x18), 0x4befe8u);
  EXPECT_EQ(relroEnd(0x4befe8, 0x18), 0x4befe8u);
}

TEST(DataSegment, APageIsSavedIfBothEndsFitIntoOne) {
  DataAhead Ahead;
  Ahead.End = 0x403700; // data begin at 0x402800 unless a page is saved
  EXPECT_EQ(wholeDataStart(0x401800, Ahead), 0x402000u);
  Ahead.End = 0x403900; // they do not fit
  EXPECT_EQ(wholeDataStart(0x401800, Ahead), 0x402800u);
  Ahead.End = 0x402900; // one page as it is
  EXPECT_EQ(wholeDataStart(0x401800, Ahead), 0x402800u);
  Ahead.End = 0x403000;
  EXPECT_EQ(wholeDataStart(0x401800, Ahead), 0x402800u);
  EXPECT_EQ(wholeDataStart(0x401000, Ahead), 0x401000u);
}

} // namespace
