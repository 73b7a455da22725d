// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/EvidenceWords.h"

#include <gtest/gtest.h>

using namespace kst;

TEST(EvidenceWords, TransferOfOneProfileAndOfSeveral) {
  ProfileTransfer Of;
  EXPECT_EQ(transferWords(Of), "");
  Of.Made = true;
  Of.Counts = 1000;
  Of.Matched = 973;
  EXPECT_EQ(transferWords(Of),
            "transferred from another version, 97.3% of its counts matched");
  AffinityEvidence E;
  E.Covered.Dynamic = true;
  E.Covered.Profiles.resize(2);
  EXPECT_EQ(evidenceKind(E), "measured");
  E.Covered.Profiles[1].Transfer = Of;
  EXPECT_EQ(evidenceKind(E), "measured (transferred from another version, "
                             "97.3% of its counts matched)");
}
