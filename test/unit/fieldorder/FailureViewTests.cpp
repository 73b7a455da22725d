// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/FailureView.h"

#include "gtest/gtest.h"

#include <vector>

using namespace kst;

namespace {

std::string summary(std::vector<std::string> Reasons) {
  std::vector<FailedUnit> Failed;
  for (std::string &Reason : Reasons)
    Failed.push_back({"f.c", std::move(Reason)});
  return failureSummary(Failed, 9);
}

const std::string Start = " of 9 files could not be analysed";

} // namespace

TEST(FailureView, OneReasonOfAll) {
  EXPECT_EQ(summary({"no such file", "no such file"}),
            "2" + Start + ": no such file");
}

TEST(FailureView, OneReasonOfMost) {
  EXPECT_EQ(summary({"crashed", "no such file", "no such file"}),
            "3" + Start + ", 2 of them: no such file");
}

TEST(FailureView, PlacesDoNotMakeReasonsDiffer) {
  EXPECT_EQ(summary({"src/a.c:3: 'x.h' file not found",
                     "include/b.h:127: 'x.h' file not found"}),
            "2" + Start + ": 'x.h' file not found");
  // What looks like a place but is none stays.
  EXPECT_EQ(summary({"-include a: is not a regular file",
                     "-include b: is not a regular file"}),
            "2" + Start);
}

TEST(FailureView, NoReasonOfMost) {
  EXPECT_EQ(summary({"no such file"}), "1" + Start);
  EXPECT_EQ(summary({"a", "b", "c", "c"}), "4" + Start);
}
