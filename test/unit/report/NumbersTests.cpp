// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/ByteAmount.h"
#include "hybrid/report/Numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kst {
namespace {

TEST(Numbers, RoundsToSixSignificantDigits) {
  EXPECT_EQ(rounded(1.0 / 3), 0.333333);
  EXPECT_EQ(rounded(123456789), 123457000);
  EXPECT_EQ(rounded(-2.0 / 3), -0.666667);
  EXPECT_EQ(rounded(1e-30), 1e-30);
  EXPECT_EQ(rounded(0.1 + 0.2), 0.3);
}

TEST(Numbers, NotANumberAndInfinityAreZero) {
  EXPECT_EQ(rounded(std::nan("")), 0);
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity()), 0);
  EXPECT_FALSE(std::signbit(rounded(-0.0)));
  EXPECT_EQ(fixed(std::nan(""), 1), "0.0");
}

TEST(Numbers, FixedHasNoNegativeZero) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.01, 2), "-0.01");
  EXPECT_EQ(fixed(2.5, 2), "2.50");
}

TEST(Numbers, Percent) {
  EXPECT_EQ(percent(0), "0.0%");
  EXPECT_EQ(percent(0.0004), "<0.1%");
  EXPECT_EQ(percent(0.0005), "0.1%");
  EXPECT_EQ(percent(0.4123), "41.2%");
  EXPECT_EQ(percent(1), "100.0%");
}

TEST(Numbers, Change) {
  EXPECT_EQ(change(4, 3), "-25.0%");
  EXPECT_EQ(change(4, 5), "+25.0%");
  EXPECT_EQ(change(4, 4), "0.0%");
  EXPECT_EQ(change(0, 4), "");
}

TEST(Numbers, Brief) {
  EXPECT_EQ(brief(0), "0");
  EXPECT_EQ(brief(1234.5), "1234");
  EXPECT_EQ(brief(12.34), "12.3");
  EXPECT_EQ(brief(1.2), "1.20");
  EXPECT_EQ(brief(0.25), "0.250");
  EXPECT_EQ(brief(0.0001), "1.00e-04");
}

TEST(Numbers, ByteAmount) {
  EXPECT_EQ(byteAmount(0), "0 B");
  EXPECT_EQ(byteAmount(1023), "1023 B");
  EXPECT_EQ(byteAmount(1023.6), "1.00 KiB");
  EXPECT_EQ(byteAmount(670000), "654 KiB");
  EXPECT_EQ(byteAmount(999.6 * 1024), "0.98 MiB");
  EXPECT_EQ(byteAmount(16 << 20), "16.0 MiB");
  EXPECT_EQ(byteAmount(1.5 * (1 << 30)), "1.50 GiB");
}

TEST(Numbers, Counted) {
  EXPECT_EQ(counted(2, "access"), "2 accesses");
  EXPECT_EQ(counted(1, "field"), "1 field");
  EXPECT_EQ(counted(0, "field"), "0 fields");
}

} // namespace
} // namespace kst
