// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/report/DotText.h"

#include <gtest/gtest.h>

namespace {

TEST(DotText, QuotesAndBackslashesAreEscaped) {
  EXPECT_EQ(kst::quotedDot("f_path.dentry"), "\"f_path.dentry\"");
  EXPECT_EQ(kst::quotedDot("a\"b\\c"), "\"a\\\"b\\\\c\"");
}

} // namespace
