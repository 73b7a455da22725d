// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `isolation impact` says of code that it did not read.

#include "hybrid/isolation/IsolationReport.h"

#include "hybrid/report/Render.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

TEST(ImpactReport, CodeThatIsNotReadIsSaid) {
  ImpactReport R;
  R.Found.PairsStarting = 7;
  EXPECT_NE(toText(describe(R)).find("which of them matter is not known"),
            std::string::npos);
  R.Found.Uses = 1;
  EXPECT_EQ(toText(describe(R)).find("is not known"), std::string::npos);
}

} // namespace
