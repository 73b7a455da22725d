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

TEST(EvidenceWords, VisitsThatMayBeToAnotherStruct) {
  auto Visit = [](double Weight, std::vector<AccessSite> Sites) {
    CoAccessSet Set;
    Set.Weight = Weight;
    Set.Touches.push_back({0, 1, 1, 0, 0, std::move(Sites), {}});
    return Set;
  };
  AccessSite Seen, Given, Guessed;
  Given.Assumed = Guessed.Assumed = Guessed.Guessed = true;
  AffinityEvidence E;
  E.Sets = {Visit(50, {Seen, Guessed}), Visit(20, {Given}),
            Visit(30, {Guessed})};
  EXPECT_DOUBLE_EQ(guessedShare(E), 0.3);
  EXPECT_EQ(guessedWords(E).substr(0, 30), "30.0% of visits are guessed: a");
  E.Sets.pop_back();
  EXPECT_EQ(guessedWords(E), "");
}
