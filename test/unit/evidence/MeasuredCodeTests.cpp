// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small tables of guesses and counts in, frequencies out; every formula of
// docs/design/measured.md written out by hand.

#include "hybrid/evidence/MeasuredCode.h"
#include "test/unit/evidence/MeasuredProgram.h"

#include <cmath>

using namespace kst;

namespace {

const char *Code = R"c(
struct s { long a, b, c; };
static void leaf(struct s *p) { p->a++; }
void work(struct s *p, int n) {
  p->b++;
  if (n > 3)
    leaf(p);
}
void never(struct s *p) { p->c++; }
)c";

/// Guesses and counts of the program by name of function.
class MeasuredCodeTest : public testing::Test {
protected:
  MeasuredCodeTest() : Of(Code) {
    Guesses.Entry.resize(Of.Whole->Functions.size());
    Guesses.Total.resize(Of.Whole->Functions.size());
    guess("work", 10, 10);
    guess("leaf", 0, 5);
    guess("never", 20, 20);
  }

  FunctionId id(const std::string &Name) const {
    return Of.Whole->functionsNamed(Name).front();
  }
  void guess(const std::string &Name, double Entry, double Total) {
    Guesses.Entry[id(Name)] = Entry;
    Guesses.Total[id(Name)] = Total;
  }
  /// A profile of so many accesses; then entries of functions that it counts.
  void profile(uint64_t Accesses,
               std::vector<std::pair<std::string, double>> Entries) {
    MatchedProfile P;
    P.Fields.resize(Of.Record.Fields.size());
    P.Covered.Accesses = Accesses;
    for (const auto &[Name, Count] : Entries) {
      MatchedFunction F;
      F.Counted = F.HasEntry = true;
      F.Entries = Count;
      P.Functions.push_back({id(Name), F});
    }
    std::sort(P.Functions.begin(), P.Functions.end(),
              [](const auto &A, const auto &B) { return A.first < B.first; });
    Profiles.push_back(std::move(P));
    Weights.push_back(1);
  }
  MeasuredCode measured() const {
    ProfileMatcher Matcher(*Of.Whole, Of.Whole->recordsNamed("s").front());
    const auto AccessBlocks = Matcher.accessBlocks();
    return measuredCode(*Of.Whole, {Guesses, CodeFrequencies(*Of.Whole), {}},
                        Profiles, Weights, AccessBlocks, Options);
  }
  double total(const MeasuredCode &In, const std::string &Name) const {
    return In.Often.Total[id(Name)];
  }
  /// The block of work that calls leaf.
  uint32_t callingBlock() const {
    const FunctionFact &Fact = *Of.Whole->Functions[id("work")].Fact;
    EXPECT_EQ(Fact.Calls.size(), 1u);
    return Of.Whole->unitOf(id("work")).Calls[Fact.Calls.Begin].Block;
  }
  double guessedBlock() const {
    return CodeFrequencies(*Of.Whole).block(id("work"), callingBlock());
  }

  MeasuredProgram Of;
  Frequencies Guesses;
  std::vector<MatchedProfile> Profiles;
  std::vector<double> Weights;
  MergeOptions Options;
};

TEST_F(MeasuredCodeTest, WithoutPriorCountsAreTheResult) {
  Options.Prior = false;
  profile(230, {{"work", 100}, {"leaf", 30}, {"never", 0}});
  MeasuredCode Found = measured();
  EXPECT_DOUBLE_EQ(total(Found, "work"), 100);
  EXPECT_DOUBLE_EQ(total(Found, "leaf"), 30);
  EXPECT_EQ(total(Found, "never"), 0);
  EXPECT_EQ(Found.Rates[id("work")].From, Origin::Measured);
  EXPECT_EQ(Found.Rates[id("work")].MeasuredShare, 1);
  EXPECT_EQ(Found.Rates[id("work")].Counted, 100);
  EXPECT_EQ(Found.Rates[id("never")].From, Origin::NotReached);
}

TEST_F(MeasuredCodeTest, TheScaleIsAWeightedMeanOfLogarithms) {
  profile(230, {{"work", 100}, {"leaf", 40}});
  MeasuredCode Found = measured();
  // counts / guesses: 100 / 10 and 40 / 5, weights events / (events + 1)
  double W = 100.0 / 101, L = 40.0 / 41;
  double Mean = (W * std::log(10.0) + L * std::log(8.0)) / (W + L);
  EXPECT_NEAR(Found.Unit.Factor, std::exp(Mean), 1e-9);
  EXPECT_EQ(Found.Unit.Pairs, 2u);
}

TEST_F(MeasuredCodeTest, ARateLiesWhereGuessAndCountBalance) {
  profile(230, {{"work", 100}, {"leaf", 3}});
  MeasuredCode Found = measured();
  double Sigma2 = Found.Unit.Sigma * Found.Unit.Sigma;
  // c - x = (ln x - ln guess) / Sigma^2; a plain count is its own unit
  for (auto [Name, Count, Guess] :
       {std::tuple("work", 100.0, 10.0), {"leaf", 3.0, 5.0}}) {
    double X = total(Found, Name);
    EXPECT_NEAR(Count - X,
                (std::log(X) - std::log(Found.Unit.Factor * Guess)) / Sigma2,
                1e-6)
        << Name;
  }
}

TEST_F(MeasuredCodeTest, BlocksMixGuessAndCount) {
  profile(230, {{"work", 100}, {"leaf", 30}});
  for (auto &[Id, F] : Profiles[0].Functions)
    if (Id == id("work"))
      F.Blocks = {{callingBlock(), 30}};
  // (2 guess + 30) / (2 + 100)
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()),
              (2 * guessedBlock() + 30) / 102, 1e-9);
  Options.Prior = false; // no strength
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()), 0.3, 1e-9);
}

TEST_F(MeasuredCodeTest, CountsOfACalleeCorrectTheBlockThatCallsIt) {
  Options.Prior = false;
  profile(230, {{"work", 100}, {"leaf", 30}});
  ASSERT_GT(std::fabs(guessedBlock() - 0.3), 0.01);
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()), 0.3, 1e-9);
  // Entered from outside as well: its calls from here are at most the guess.
  guess("leaf", 1, 5);
  Profiles.clear();
  Weights.clear();
  profile(230, {{"work", 100}, {"leaf", 90}});
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()), guessedBlock(),
              1e-9);
}

TEST_F(MeasuredCodeTest, ABlockThatCallsWhatNeverRanDidNotRun) {
  profile(1000, {{"work", 1000}, {"leaf", 0}});
  Profiles[0].Functions[id("work") < id("leaf") ? 0 : 1].second.Blocks = {
      {callingBlock(), 1000}};
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()),
              2 * guessedBlock() / 1002, 1e-12);
  EXPECT_NEAR(total(measured(), "leaf"), 0, 1e-9);
  // What did run says nothing against the line.
  Profiles.clear();
  Weights.clear();
  profile(1000, {{"work", 1000}, {"leaf", 1}});
  Profiles[0].Functions[id("work") < id("leaf") ? 0 : 1].second.Blocks = {
      {callingBlock(), 1000}};
  EXPECT_NEAR(measured().Code.block(id("work"), callingBlock()),
              (2 * guessedBlock() + 1000) / 1002, 1e-12);
}

TEST_F(MeasuredCodeTest, ProfilesCountAsIfEquallyLong) {
  Options.Prior = false;
  profile(200, {{"work", 100}});
  profile(600, {{"work", 60}});
  MeasuredCode Found = measured();
  // share * mean length / own length, with a mean of 400
  EXPECT_EQ(Found.Shares, (std::vector<double>{0.5, 0.5}));
  EXPECT_DOUBLE_EQ(Found.Factors[0], 0.5 * 400 / 200);
  EXPECT_DOUBLE_EQ(Found.Factors[1], 0.5 * 400 / 600);
  EXPECT_DOUBLE_EQ(total(Found, "work"), 100 * 1.0 + 60 / 3.0);
  Options.Pool = true; // as they are
  EXPECT_EQ(measured().Factors, (std::vector<double>{1, 1}));
  EXPECT_DOUBLE_EQ(total(measured(), "work"), 160);
}

TEST_F(MeasuredCodeTest, WhoCouldNotSeeAFunctionSaysNothing) {
  Options.Prior = false;
  profile(200, {{"work", 100}, {"never", 7}});
  profile(200, {{"work", 100}});
  // Each has half; the first stands for both.
  EXPECT_DOUBLE_EQ(total(measured(), "never"), 7 * 0.5 / 0.5);
  EXPECT_DOUBLE_EQ(total(measured(), "work"), 100);
}

TEST_F(MeasuredCodeTest, WhatNeverRanMakesAShareOfTheAccesses) {
  profile(230, {{"work", 100}, {"leaf", 30}, {"never", 0}});
  MeasuredCode Found = measured();
  EXPECT_DOUBLE_EQ(Found.IdleAtMost, 0.03);
  EXPECT_EQ(Found.Rates[id("never")].IdleShare, 1);
  EXPECT_EQ(Found.Rates[id("never")].From, Origin::NotReached);
  // Accesses, a read and a write each: what ran, and 3 % of all on top.
  double Ran = 2 * total(Found, "work") + 2 * total(Found, "leaf");
  EXPECT_NEAR(2 * total(Found, "never"), 0.03 / 0.97 * Ran, 1e-6 * Ran);
  // After a second workload that did not reach it: 2 / 4 of 2 / 3 as much.
  profile(230, {{"work", 100}, {"leaf", 30}, {"never", 0}});
  EXPECT_DOUBLE_EQ(measured().IdleAtMost, 0.03 * (2.0 / 4) / (2.0 / 3));
}

TEST_F(MeasuredCodeTest, SamplesBecomeCallsByTheWorkOfOne) {
  Options.Prior = false;
  profile(0, {});
  MatchedFunction F;
  F.Samples = 60;
  Profiles[0].Functions.push_back({id("never"), F});
  Profiles[0].Covered.Samples = Profiles[0].Covered.SamplesUsed = 60;
  // One call: 1 and the accesses of its only block. `c++` is one access.
  const double Work = workOfCall(*Of.Whole, id("never"));
  EXPECT_GE(Work, 2);
  EXPECT_DOUBLE_EQ(total(measured(), "never"), 60 / Work);
}

} // namespace
